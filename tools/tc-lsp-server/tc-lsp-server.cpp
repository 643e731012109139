//===- tc-lsp-server.cpp - tc programs in an editor -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The language server of MLIR, with the dialects that tc-opt has.
//
//===----------------------------------------------------------------------===//

#include "../Version.h"
#include "../tc-opt/Registry.h"

#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "llvm/Support/LogicalResult.h"

int main(int argc, char **argv) {
  flags::setVersion();
  mlir::DialectRegistry registry;
  mlir::tc::registerDialects(registry);
  mlir::tc::registerTransformScripts(registry);
  return failed(mlir::MlirLspServerMain(argc, argv, registry));
}
