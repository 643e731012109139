//===- embed-tc.cpp - A compiler that lowers contractions with tc ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a program in linalg, cleans it up with passes of upstream, lowers it
// with tc, and prints the kernels: as MLIR, or as PTX.
//
//     embed-tc FILE.mlir CHIP gpu|ptx
//
//===----------------------------------------------------------------------===//

#include "tc/Pipelines/Pipelines.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

/// The passes of this compiler: its own, then those of tc.
static void addPasses(PassManager &passes, StringRef chip, bool toPtx) {
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
  tc::ToNVVMOptions options;
  options.chip = chip.str();
  if (toPtx) {
    tc::buildToNVVMPipeline(passes, options);
  } else {
    tc::buildToScheduledPipeline(passes, options.chip);
    tc::buildToKernelPipeline(passes, {options.chip});
  }
}

/// The PTX of all kernels: a gpu.binary holds an object for each target.
static void printPtx(ModuleOp module) {
  module.walk([](gpu::BinaryOp binary) {
    for (auto object : binary.getObjects().getAsRange<gpu::ObjectAttr>())
      llvm::outs() << object.getObject().getValue();
  });
}

int main(int argc, char **argv) {
  StringRef form = argc == 4 ? argv[3] : "";
  if (form != "gpu" && form != "ptx") {
    llvm::errs() << "usage: embed-tc FILE.mlir CHIP gpu|ptx\n";
    return 1;
  }
  DialectRegistry registry;
  tc::registerDialects(registry);
  MLIRContext context(registry);
  auto module = parseSourceFile<ModuleOp>(argv[1], &context);
  if (!module)
    return 1;
  PassManager passes(&context);
  addPasses(passes, argv[2], form == "ptx");
  if (failed(passes.run(*module)))
    return 1;
  if (form == "ptx")
    printPtx(*module);
  else
    module->walk(
        [](gpu::GPUModuleOp kernels) { llvm::outs() << *kernels << '\n'; });
  return 0;
}
