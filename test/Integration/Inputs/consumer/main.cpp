//===- main.cpp - A compiler that embeds the dialect ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Uses the installed package only: parses a program, runs two passes of the
// project on it, and prints it.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/Passes.h"
#include "tc/IR/TC.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

static constexpr char program[] = R"mlir(
func.func @product(%a: memref<4x5xf32>, %b: memref<5x6xf32>,
                   %c: memref<4x6xf32>) {
  linalg.matmul ins(%a, %b : memref<4x5xf32>, memref<5x6xf32>)
                outs(%c : memref<4x6xf32>)
  return
}
)mlir";

int main() {
  mlir::DialectRegistry registry;
  registry.insert<mlir::tc::TCDialect, mlir::func::FuncDialect,
                  mlir::linalg::LinalgDialect, mlir::memref::MemRefDialect>();
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(program, &context);
  if (!module)
    return 1;
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(mlir::tc::createConvertLinalgToTC());
  passes.addNestedPass<mlir::func::FuncOp>(mlir::tc::createNormalize());
  if (failed(passes.run(*module)))
    return 1;
  module->print(llvm::outs());
  return 0;
}
