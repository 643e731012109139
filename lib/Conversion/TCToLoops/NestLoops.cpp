//===- NestLoops.cpp - An index space as loops ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/NestLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::tc;

using BuildLoopBody = function_ref<SmallVector<Value>(Value, ValueRange)>;

static SmallVector<Value> buildFor(OpBuilder &builder, Location loc,
                                   Value lower, Value upper, int64_t step,
                                   ValueRange carried, BuildLoopBody body) {
  Value by = arith::ConstantIndexOp::create(builder, loc, step);
  auto loop = scf::ForOp::create(
      builder, loc, lower, upper, by, carried,
      [&](OpBuilder &, Location, Value index, ValueRange inner) {
        SmallVector<Value> next = body(index, inner);
        scf::YieldOp::create(builder, loc, next);
      });
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Loops over the dimensions that `indices` does not have yet.
static SmallVector<Value> buildFrom(OpBuilder &builder, Location loc,
                                    const LoopSpace &space,
                                    SmallVector<Value> &indices,
                                    ValueRange carried, BuildNestBody body) {
  size_t dim = indices.size();
  if (dim == space.lower.size())
    return body(indices, carried);
  auto descend = [&](Value index, ValueRange inner) {
    indices.push_back(index);
    SmallVector<Value> next =
        buildFrom(builder, loc, space, indices, inner, body);
    indices.pop_back();
    return next;
  };
  Value lower = space.lower[dim], upper = space.upper[dim];
  int64_t step = space.step[dim], width = space.width[dim];
  if (width == step)
    return buildFor(builder, loc, lower, upper, 1, carried, descend);
  if (width == 1)
    return buildFor(builder, loc, lower, upper, step, carried, descend);
  return buildFor(
      builder, loc, lower, upper, step, carried,
      [&](Value first, ValueRange inner) {
        Value size = arith::ConstantIndexOp::create(builder, loc, width);
        Value end = arith::AddIOp::create(builder, loc, first, size);
        end = arith::MinSIOp::create(builder, loc, end, upper);
        return buildFor(builder, loc, first, end, 1, inner, descend);
      });
}

SmallVector<Value> mlir::tc::buildLoops(OpBuilder &builder, Location loc,
                                        const LoopSpace &space,
                                        ValueRange inits, BuildNestBody body) {
  SmallVector<Value> indices;
  return buildFrom(builder, loc, space, indices, inits, body);
}
