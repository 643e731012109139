//===- HostPairs.cpp - Copies of pairs of sums into panels ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For instructions that multiply pairs of numbers of 16 bits, the two sums of a
// pair lie together. Where sums are neighbours in memory, pairs are words that
// are transposed as other numbers are; where lines are, two rows of them are
// interleaved.
//
//===----------------------------------------------------------------------===//

#include "Host/HostPanels.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Blocks of fewer pairs by as many lines are copied one by one.
static constexpr int64_t kLeastBlock = 4;

namespace {
/// The pairs of one panel on their way.
struct PairPacker {
  HostBuilder &builder;
  const HostPlan &plan;
  const HostSide &side;
  Value panel, depth, lines;

  Value lineOf(Value line) { return builder.load(lines, line); }
  Value placeOfSum(Value sum) {
    return builder.add(side.batch, builder.load(side.sums, sum));
  }
  /// Where the pair that begins with `sum` lies, of line `line` and those
  /// after.
  SmallVector<Value> indicesOf(Value sum, Value line) {
    return {panel, builder.constant(0), builder.divide(sum, 2),
            builder.multiply(line, 2)};
  }
  Value widen(Value numbers);
  Value loadVector(int64_t length, Value place);
  void copyPair(Value sum, Value line, bool isWhole);
  void copyFrom(Value first, Value line, Value lineCount);
  void interleaveLines(int64_t length, int64_t step);
  void transposePairs(int64_t block);
};
} // namespace

/// Elements of the input as numbers of panels.
Value PairPacker::widen(Value numbers) {
  auto type = cast<VectorType>(numbers.getType());
  if (type.getElementType() == plan.number)
    return numbers;
  return arith::ExtSIOp::create(builder, type.clone(plan.number), numbers);
}

Value PairPacker::loadVector(int64_t length, Value place) {
  Type element = cast<MemRefType>(side.operand.base.getType()).getElementType();
  return widen(vector::LoadOp::create(builder, VectorType::get(length, element),
                                      side.operand.base, place));
}

/// One line's pair; only its first number where it is not whole.
void PairPacker::copyPair(Value sum, Value line, bool isWhole) {
  SmallVector<Value> indices = indicesOf(sum, line);
  Value start = lineOf(line);
  auto load = [&](Value at) {
    Value element =
        builder.load(side.operand.base, builder.add(start, placeOfSum(at)));
    return convertNumber(builder, builder.getLoc(), element, plan.number);
  };
  builder.store(load(sum), side.panels, indices);
  Value other = isWhole ? load(builder.add(sum, 1))
                        : Value(arith::ConstantOp::create(
                              builder, builder.getZeroAttr(plan.number)));
  indices.back() = builder.add(indices.back(), 1);
  builder.store(other, side.panels, indices);
}

/// All pairs from sum number `first` on, of `lineCount` lines from `line` on.
void PairPacker::copyFrom(Value first, Value line, Value lineCount) {
  Value pairs = builder.divide(builder.subtract(depth, first), 2);
  Value isOdd = builder.isEqual(builder.remainder(depth, 2), 1);
  builder.loop(lineCount, [&](Value number) {
    Value own = builder.add(line, number);
    builder.loop(pairs, [&](Value pair) {
      copyPair(builder.add(first, builder.multiply(pair, 2)), own,
               /*isWhole=*/true);
    });
    Value last = builder.subtract(depth, builder.constant(1));
    builder.branch(
        isOdd, [&] { copyPair(last, own, /*isWhole=*/false); }, [] {});
  });
}

/// Lines that are neighbours, `length` at a time; there is one in the table
/// every `step`.
void PairPacker::interleaveLines(int64_t length, int64_t step) {
  SmallVector<Value> starts;
  for (int64_t line = 0; line != side.width; line += length)
    starts.push_back(
        builder.add(lineOf(builder.constant(line / step)), line % step));
  auto copy = [&](Value sum, function_ref<Value(Value)> findOther) {
    Value place = placeOfSum(sum);
    for (auto [i, start] : llvm::enumerate(starts)) {
      Value numbers = vector::InterleaveOp::create(
          builder, loadVector(length, builder.add(start, place)),
          findOther(start));
      vector::StoreOp::create(builder, numbers, side.panels,
                              indicesOf(sum, builder.constant(i * length)));
    }
  };
  builder.loop(builder.divide(depth, 2), [&](Value pair) {
    Value sum = builder.multiply(pair, 2);
    Value next = placeOfSum(builder.add(sum, 1));
    copy(sum, [&](Value start) {
      return loadVector(length, builder.add(start, next));
    });
  });
  auto copyLast = [&] {
    copy(builder.subtract(depth, builder.constant(1)), [&](Value) {
      return createZeros(builder, VectorType::get(length, plan.number));
    });
  };
  builder.branch(builder.isEqual(builder.remainder(depth, 2), 1), copyLast,
                 [] {});
}

/// `block` lines by as many pairs of sums, which are neighbours, at a time.
void PairPacker::transposePairs(int64_t block) {
  auto words = VectorType::get(block, builder.getI32Type());
  auto pairs = VectorType::get(2 * block, plan.number);
  Value blocks = builder.divide(depth, 2 * block);
  builder.loop(builder.constant(side.width / block), [&](Value group) {
    Value first = builder.multiply(group, block);
    SmallVector<Value> starts;
    for (int64_t line = 0; line != block; ++line)
      starts.push_back(lineOf(builder.add(first, line)));
    builder.loop(blocks, [&](Value number) {
      Value sum = builder.multiply(number, 2 * block);
      Value place = placeOfSum(sum);
      SmallVector<Value> vectors;
      for (Value start : starts)
        vectors.push_back(vector::BitCastOp::create(
            builder, words, loadVector(2 * block, builder.add(start, place))));
      builder.transpose(vectors);
      for (auto [i, vector] : llvm::enumerate(vectors))
        vector::StoreOp::create(
            builder, vector::BitCastOp::create(builder, pairs, vector),
            side.panels, indicesOf(builder.add(sum, 2 * i), first));
    });
    copyFrom(builder.multiply(blocks, 2 * block), first,
             builder.constant(block));
  });
}

void mlir::tc::packPairs(HostContraction &code, const HostSide &side,
                         Value panel, Value start, Value depth) {
  HostBuilder &builder = code.builder;
  const HostPlan &plan = code.plan;
  PairPacker packer{builder, plan, side, panel, depth, {}};
  int64_t step =
      std::gcd(code.getRun(side.operand, side.iterators), side.width);
  int64_t entries = side.width / step;
  int64_t widest = getCommonBlock({side.width, plan.lanes});
  bool hasLines = step >= kLeastBlock;
  if (!hasLines) {
    step = 1;
    entries = side.width;
  }
  packer.lines = builder.reserve(entries, builder.getIndexType());
  Value dense = code.buildTable(
      side.operand,
      {side.iterators, start, builder.constant(entries), side.total, step},
      packer.lines, {});
  if (hasLines)
    return packer.interleaveLines(getCommonBlock({step, plan.lanes}), step);
  auto copyElements = [&] {
    packer.copyFrom(builder.constant(0), builder.constant(0),
                    builder.constant(side.width));
  };
  if (widest < kLeastBlock)
    return copyElements();
  if (code.getInnerStride(side.operand, plan.sums) == 1)
    return builder.branch(
        builder.isEqual(side.denseSums, 1),
        [&] { packer.transposePairs(widest); }, copyElements);
  if (code.getInnerStride(side.operand, side.iterators) != 1)
    return copyElements();
  Value left = builder.subtract(side.total, start);
  Value isWhole = arith::CmpIOp::create(builder, arith::CmpIPredicate::uge,
                                        left, builder.constant(side.width));
  builder.branch(
      arith::AndIOp::create(builder, isWhole, builder.isEqual(dense, 1)),
      [&] { packer.interleaveLines(widest, /*step=*/1); }, copyElements);
}
