//===- tc-opt.cpp - Run passes on tc programs -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Registry.h"
#include "tc/Pipelines/Pipelines.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

/// As in the other tools, `--remarks` stands for all of them.
static void expandRemarks(llvm::MutableArrayRef<char *> arguments) {
  static char all[] = "--remarks-filter=.*";
  for (char *&argument : arguments)
    if (llvm::StringRef(argument) == "--remarks")
      argument = all;
}

int main(int argc, char **argv) {
  expandRemarks({argv, size_t(argc)});
  mlir::DialectRegistry registry;
  mlir::tc::registerDialects(registry);
  mlir::tc::registerTransformScripts(registry);
  mlir::tc::registerUpstreamPasses();
  mlir::tc::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "tc optimizer\n", registry));
}
