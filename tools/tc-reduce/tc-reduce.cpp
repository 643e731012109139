//===- tc-reduce.cpp - Make a failing tc program small --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reducer of MLIR, with the dialects and passes that tc-opt has.
//
//===----------------------------------------------------------------------===//

#include "../Help.h"
#include "../OutOfMemory.h"
#include "../Version.h"
#include "../tc-opt/Registry.h"

#include "tc/Pipelines/Pipelines.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Tools/mlir-reduce/MlirReduceMain.h"
#include "llvm/Support/LogicalResult.h"

static llvm::cl::extrahelp examples(R"(
EXAMPLES:
  tc-reduce fails.mlir --reduction-tree='traversal-mode=0 test=./fails.sh'
  tc-reduce fails.mlir --opt-reduction-pass='opt-pass=canonicalize test=./fails.sh'

The test is called with the name of a file, and exits with 1 where the program in
it is still interesting, with 0 where it is not.
)");

int main(int argc, char **argv) {
  flags::exitWhenOutOfMemory("tc-reduce");
  flags::setVersion();
  flags::hideOptionsOfLLVM();
  mlir::DialectRegistry registry;
  mlir::tc::registerDialects(registry);
  mlir::tc::registerTransformScripts(registry);
  mlir::tc::registerUpstreamPasses();
  mlir::tc::registerPasses();
  mlir::MLIRContext context(registry);
  return failed(mlir::mlirReduceMain(argc, argv, context));
}
