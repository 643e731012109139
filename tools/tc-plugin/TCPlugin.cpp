//===- TCPlugin.cpp - tc in the tools of upstream -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One library for `--load-dialect-plugin` and `--load-pass-plugin` of mlir-opt
// and of any tool built like it. Either works without the other.
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" ::mlir::DialectPluginLibraryInfo LLVM_ATTRIBUTE_WEAK
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TC", TC_VERSION,
          [](mlir::DialectRegistry *registry) {
            mlir::tc::registerDialects(*registry);
          }};
}

extern "C" ::mlir::PassPluginLibraryInfo LLVM_ATTRIBUTE_WEAK
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TC", TC_VERSION,
          [] { mlir::tc::registerPasses(); }};
}
