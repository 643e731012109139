//===- Reduce.cpp - tc.reduce and tc.scan ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestSyntax.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Rules. Each has a label; test/IR/invalid.mlir has a case of that name.
//===----------------------------------------------------------------------===//

/// What `region` yields; nothing where it ends in something else.
static std::optional<TypeRange> getYielded(Region &region) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  return yield ? std::optional<TypeRange>(yield.getOperandTypes())
               : std::nullopt;
}

/// Reports a region that does not take `arguments` or does not yield `yielded`.
static LogicalResult verifyRegion(Operation *op, StringRef name, Region &region,
                                  TypeRange arguments, TypeRange yielded) {
  if (region.getArgumentTypes() != arguments) // reduce_arguments
    return op->emitOpError("expected the ")
           << name << " region to take (" << arguments << "), got ("
           << region.getArgumentTypes() << ")";
  std::optional<TypeRange> got = getYielded(region);
  if (!got) // reduce_terminator
    return op->emitOpError("expected the ")
           << name << " region to end in tc.yield, got '"
           << region.front().back().getName() << "'";
  if (*got != yielded) // reduce_yield
    return op->emitOpError("expected the ")
           << name << " region to yield (" << yielded << "), got (" << *got
           << ")";
  return success();
}

template <typename FoldOp>
static LogicalResult verifyFold(FoldOp op, bool finishTakesIndices) {
  if (failed(verifySpace(op)))
    return failure();
  SmallVector<Type> values(op.getInits().getTypes());
  if (values.empty()) // reduce_values
    return op.emitOpError("expected at least one neutral element");
  SmallVector<Type> indices(op.getRank(), IndexType::get(op.getContext()));
  SmallVector<Type> pairs(values), finished;
  llvm::append_range(pairs, values);
  if (finishTakesIndices)
    finished = indices;
  llvm::append_range(finished, values);
  if (failed(verifyRegion(op, "map", op.getMap(), indices, values)) ||
      failed(verifyRegion(op, "combine", op.getCombine(), pairs, values)) ||
      failed(verifyRegion(op, "finish", op.getFinish(), finished, {})))
    return failure();
  for (Operation &inner : op.getCombine().front().without_terminator())
    if (!isMemoryEffectFree(&inner)) // reduce_effects
      return op.emitOpError("expected the combine region to be free of "
                            "effects, got '")
             << inner.getName() << "'";
  return success();
}

LogicalResult ReduceOp::verify() {
  return verifyFold(*this, /*finishTakesIndices=*/false);
}

LogicalResult ScanOp::verify() { // scan_finish
  return verifyFold(*this, /*finishTakesIndices=*/true);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

template <typename Properties>
static void buildFold(OpBuilder &builder, OperationState &state, Level level,
                      ArrayRef<OpFoldResult> lower,
                      ArrayRef<OpFoldResult> upper, ValueRange inits,
                      bool finishTakesIndices, Properties &properties) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<int64_t> ones(lower.size(), 1);
  buildSpace(builder, state, lower, upper, ones, inits, properties);
  properties.setLevel(LevelAttr::get(builder.getContext(), level));
  SmallVector<Type> indices(lower.size(), builder.getIndexType());
  SmallVector<Type> pairs(inits.getTypes()), finished;
  llvm::append_range(pairs, inits.getTypes());
  if (finishTakesIndices)
    finished = indices;
  llvm::append_range(finished, inits.getTypes());
  for (ArrayRef<Type> types :
       {ArrayRef(indices), ArrayRef(pairs), ArrayRef(finished)}) {
    SmallVector<Location> locations(types.size(), state.location);
    builder.createBlock(state.addRegion(), {}, types, locations);
  }
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, Level level,
                     ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                     ValueRange inits, bool commutative) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (commutative)
    properties.setCommutative(builder.getUnitAttr());
  buildFold(builder, state, level, lower, upper, inits,
            /*finishTakesIndices=*/false, properties);
}

void ScanOp::build(OpBuilder &builder, OperationState &state, Level level,
                   ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                   ValueRange inits, bool exclusive) {
  Properties &properties = state.getOrAddProperties<Properties>();
  if (exclusive)
    properties.setExclusive(builder.getUnitAttr());
  buildFold(builder, state, level, lower, upper, inits,
            /*finishTakesIndices=*/true, properties);
}
