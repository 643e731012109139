//===- tc-opt.cpp - Run passes on tc programs -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Help.h"
#include "../OutOfMemory.h"
#include "../Version.h"
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

static llvm::cl::extrahelp examples(R"(
EXAMPLES:
  tc-opt matmul.mlir --convert-linalg-to-tc --tc-normalize --tc-schedule=chip=sm_90a
  tc-opt matmul.mlir --tc-tile --mlir-print-ir-after-all    # each phase that it takes
  tc-opt matmul.mlir --tc-to-nvvm='chip=sm_90a format=cubin' --remarks
  tc-opt matmul.mlir --pass-pipeline='builtin.module(func.func(tc-schedule{explain=3}))'

Passes run in the order of the command line. Options of LLVM are in --help-hidden.
)");

int main(int argc, char **argv) {
  flags::exitWhenOutOfMemory("tc-opt");
  flags::setVersion();
  expandRemarks({argv, size_t(argc)});
  flags::hideOptionsOfLLVM();
  mlir::DialectRegistry registry;
  mlir::tc::registerDialects(registry);
  mlir::tc::registerTransformScripts(registry);
  mlir::tc::registerUpstreamPasses();
  mlir::tc::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv,
      "Runs passes on programs in tc and in the dialects round it\n",
      registry));
}
