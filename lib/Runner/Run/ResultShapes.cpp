//===- ResultShapes.cpp - Shapes of what a function returns ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A copy of the function returns extents in place of arrays. Upstream's passes
// express them by those of the arguments, which are known.
//
//===----------------------------------------------------------------------===//

#include "Run/ResultShapes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include <cstring>

using namespace mlir;

namespace mlir::tc {

/// Has `function` return each dynamic extent of its results.
static void returnExtents(func::FuncOp function) {
  Operation *terminator = function.front().getTerminator();
  OpBuilder builder(terminator);
  SmallVector<Value> extents;
  for (Value result : terminator->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t dim = 0, rank = type ? type.getRank() : 0; dim != rank; ++dim)
      if (type.isDynamicDim(dim))
        extents.push_back(
            tensor::DimOp::create(builder, result.getLoc(), result, dim));
  }
  terminator->setOperands(extents);
  function.setType(builder.getFunctionType(function.getArgumentTypes(),
                                           TypeRange(ValueRange(extents))));
}

/// Replaces arguments of type index, and extents of others, by what they are.
static void fixArguments(func::FuncOp function, ArrayRef<NumpyArray> given) {
  OpBuilder builder(function.getContext());
  auto replace = [&](Value value, int64_t number) {
    builder.setInsertionPointToStart(&function.front());
    value.replaceAllUsesWith(
        arith::ConstantIndexOp::create(builder, value.getLoc(), number));
  };
  for (auto [argument, array] :
       llvm::zip_equal(function.getArguments(), given)) {
    if (argument.getType().isIndex()) {
      int64_t number = 0;
      std::memcpy(&number, array.bytes.data(), sizeof(number));
      replace(argument, number);
      continue;
    }
    for (Operation *user : argument.getUsers()) {
      if (!isa<tensor::DimOp, memref::DimOp>(user))
        continue;
      std::optional<int64_t> dim = getConstantIntValue(user->getOperand(1));
      if (dim && static_cast<size_t>(*dim) < array.shape.size())
        replace(user->getResult(0), array.shape[*dim]);
    }
  }
}

SmallVector<SmallVector<int64_t>>
findResultShapes(func::FuncOp function, ArrayRef<NumpyArray> arguments) {
  SmallVector<SmallVector<int64_t>> shapes;
  for (Type type : function.getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    shapes.emplace_back(shaped && shaped.hasRank() ? shaped.getShape()
                                                   : ArrayRef<int64_t>());
  }
  auto isDynamic = [](ArrayRef<int64_t> shape) {
    return llvm::is_contained(shape, ShapedType::kDynamic);
  };
  if (!llvm::any_of(shapes, isDynamic) ||
      !llvm::hasSingleElement(function.getBody()))
    return shapes;
  OwningOpRef<ModuleOp> module = ModuleOp::create(function.getLoc());
  auto copy = cast<func::FuncOp>(function->clone());
  module->push_back(copy);
  returnExtents(copy);
  // What does not work stays dynamic, which is told of by whoever needs it.
  ScopedDiagnosticHandler quiet(function.getContext(),
                                [](Diagnostic &) { return success(); });
  PassManager passes(function.getContext());
  passes.addPass(memref::createResolveRankedShapeTypeResultDimsPass());
  passes.addPass(createCanonicalizerPass());
  if (failed(passes.run(*module)))
    return shapes;
  fixArguments(copy, arguments);
  PassManager folding(function.getContext());
  folding.addPass(createCanonicalizerPass());
  if (failed(folding.run(*module)))
    return shapes;
  auto extents = copy.front().getTerminator()->getOperands();
  for (auto [type, shape] : llvm::zip_equal(function.getResultTypes(), shapes))
    for (int64_t &extent : shape)
      if (isa<RankedTensorType>(type) && ShapedType::isDynamic(extent)) {
        extent =
            getConstantIntValue(extents.front()).value_or(ShapedType::kDynamic);
        extents = extents.drop_front();
      }
  return shapes;
}

} // namespace mlir::tc
