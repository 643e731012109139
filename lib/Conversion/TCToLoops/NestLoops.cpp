//===- NestLoops.cpp - An index space as loops ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToLoops/NestLoops.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<int64_t> mlir::tc::getUnrollCounts(SeqOp op) {
  SmallVector<int64_t> counts(op.getRank(), 1);
  int64_t rest = op.getUnroll();
  for (int64_t d = int64_t(op.getRank()) - 1; d >= 0 && rest > 1; --d) {
    int64_t lower = op.getStaticLower()[d], upper = op.getStaticUpper()[d];
    // A last step that is not whole counts as one that is.
    int64_t step = op.getStaticStep()[d], width = op.getStaticWidth()[d];
    int64_t trips = rest;
    if (llvm::none_of(ArrayRef({lower, upper, step, width}),
                      ShapedType::isDynamic))
      trips = width == step
                  ? upper - lower
                  : llvm::divideCeilSigned(upper - lower, step) * width;
    counts[d] = std::max<int64_t>(std::min(rest, trips), 1);
    rest /= counts[d];
  }
  return counts;
}

using BuildLoopBody = function_ref<SmallVector<Value>(Value, ValueRange)>;

static SmallVector<Value> buildFor(OpBuilder &builder, Location loc,
                                   Value lower, Value upper, OpFoldResult step,
                                   int64_t unroll, ValueRange carried,
                                   BuildLoopBody body) {
  Value by = getValueOrCreateConstantIndexOp(builder, loc, step);
  auto loop = scf::ForOp::create(
      builder, loc, lower, upper, by, carried,
      [&](OpBuilder &, Location, Value index, ValueRange inner) {
        SmallVector<Value> next = body(index, inner);
        scf::YieldOp::create(builder, loc, next);
      });
  if (unroll > 1)
    setUnrollCount(loop, unroll);
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
  int64_t unroll = space.unroll.empty() ? 1 : space.unroll[dim];
  OpFoldResult one = builder.getIndexAttr(1);
  std::optional<int64_t> width = getConstantIntValue(space.width[dim]);
  if (space.isDense(dim) || width == 1)
    return buildFor(builder, loc, lower, upper,
                    space.isDense(dim) ? one : space.step[dim], unroll, carried,
                    descend);
  // A width that is a value is taken for one that holds all that is unrolled.
  int64_t together = width.value_or(unroll);
  return buildFor(builder, loc, lower, upper, space.step[dim],
                  llvm::divideCeil(unroll, together), carried,
                  [&](Value first, ValueRange inner) {
                    Value size = getValueOrCreateConstantIndexOp(
                        builder, loc, space.width[dim]);
                    Value end =
                        arith::AddIOp::create(builder, loc, first, size);
                    end = arith::MinSIOp::create(builder, loc, end, upper);
                    return buildFor(builder, loc, first, end, one,
                                    std::min(unroll, together), inner, descend);
                  });
}

SmallVector<Value> mlir::tc::buildLoops(OpBuilder &builder, Location loc,
                                        const LoopSpace &space,
                                        ValueRange inits, BuildNestBody body) {
  SmallVector<Value> indices;
  return buildFrom(builder, loc, space, indices, inits, body);
}
