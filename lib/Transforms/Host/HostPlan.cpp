//===- HostPlan.cpp - How a CPU computes a contraction --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Half of a second-level cache of usual size, for a block of columns, and a
/// share of the third, for panels of rows.
static constexpr int64_t kColumnBytes = 256 << 10, kRowBytes = 4 << 20;
static constexpr int64_t kDepth = 256, kMostColumns = 768;
/// Rows that pay for packing a block of columns once more; and how many tasks
/// keep all threads busy to the end.
static constexpr int64_t kLeastRowGroup = 256, kTasks = 16;

/// The product of the extents, as far as 64 bits hold it.
static int64_t countPoints(ArrayRef<unsigned> iterators,
                           ArrayRef<int64_t> extents) {
  uint64_t count = 1;
  for (unsigned i : iterators)
    count = llvm::SaturatingMultiply(count, uint64_t(extents[i]));
  return std::min<uint64_t>(count, INT64_MAX);
}

/// Numbers that vectors hold, and products of which add up in any order.
static bool choosePart(ContractOp op, HostPlan &plan) {
  plan.part = op.getAccumulatorTypes().front();
  if (auto complex = dyn_cast<ComplexType>(plan.part)) {
    plan.part = complex.getElementType();
    plan.parts = 2;
  }
  if (plan.part.isF32() || plan.part.isF64())
    return true;
  // Others, booleans among them, lie closer in vectors than in memory.
  auto integer = dyn_cast<IntegerType>(plan.part);
  return integer && llvm::is_contained({8, 16, 32, 64}, integer.getWidth());
}

/// Sorts iterators into classes by what varies with them.
static bool classify(const StrideTable &table, HostPlan &plan) {
  const Access &output = table.output();
  std::optional<unsigned> last;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i)
    if (!table.contracted[i] &&
        (!last || output.getDistance(i) < output.getDistance(*last)))
      last = i;
  if (!last || table.getInputsVarying(*last) % 3 == 0)
    return false;
  plan.columnInput = table.inputs[1].variesWith(*last) ? 1 : 0;
  plan.rowInput = 1 - plan.columnInput;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i) {
    uint64_t varying = table.getInputsVarying(i);
    (table.contracted[i]                          ? plan.sums
     : varying == uint64_t(1) << plan.columnInput ? plan.columns
     : varying == uint64_t(1) << plan.rowInput    ? plan.rows
                                                  : plan.batch)
        .push_back(i);
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The order of iterators
//===----------------------------------------------------------------------===//

/// Outermost is what `operand` steps through in the largest steps.
static void sortBy(const Access &operand,
                   SmallVectorImpl<unsigned> &iterators) {
  auto stride = [&](unsigned i) {
    return operand.variesWith(i) ? operand.getDistance(i) : INT64_MAX;
  };
  llvm::stable_sort(
      iterators, [&](unsigned a, unsigned b) { return stride(a) > stride(b); });
}

/// The one of `iterators` in which elements of `operand` are neighbours, in
/// ascending order.
static std::optional<unsigned> findNeighbours(const Access &operand,
                                              ArrayRef<unsigned> iterators) {
  for (unsigned i : iterators)
    if (operand.strides[i] == 1)
      return i;
  return std::nullopt;
}

/// Splits iterator `i` so that at most `most` points are left inside, if a
/// divisor of its extent allows that; gives the iterator of those.
static std::optional<unsigned> split(HostBuilder &builder, StrideTable &table,
                                     unsigned i, int64_t most) {
  int64_t extent = table.extents[i];
  if (ShapedType::isDynamic(extent) || extent <= most)
    return std::nullopt;
  // Best is what pieces of vectors divide, then what is large.
  int64_t size = 1;
  auto worth = [](int64_t n) { return std::pair(std::gcd(n, int64_t(16)), n); };
  for (int64_t n = 4; n <= most; ++n)
    if (extent % n == 0 && (size == 1 || worth(n) > worth(size)))
      size = n;
  if (size == 1)
    return std::nullopt;
  return splitRow(builder, builder.getLoc(), table, i, size, table.names[i]);
}

/// Where the neighbours of one operand are not those of another, a block has
/// some of both, so that each line of a cache that is read is used while it is
/// there: `first` and `last` are the innermost, in parts.
static void interleave(HostBuilder &builder, StrideTable &table,
                       SmallVectorImpl<unsigned> &iterators,
                       std::optional<unsigned> first, int64_t mostFirst,
                       std::optional<unsigned> last, int64_t mostLast) {
  if (!first || !last || first == last)
    return;
  for (unsigned i : {*first, *last}) {
    llvm::erase(iterators, i);
    iterators.push_back(i);
  }
  std::optional<unsigned> inner = split(builder, table, *last, mostLast);
  if (std::optional<unsigned> part = split(builder, table, *first, mostFirst)) {
    iterators.insert(iterators.end() - (inner ? 0 : 1), *part);
    if (inner)
      iterators.push_back(*inner);
    return;
  }
  if (inner) { // the whole of `first` is inside
    iterators.erase(iterators.end() - 2);
    iterators.append({*first, *inner});
  }
}

/// Results are written along columns, inputs read as they lie.
static void sortIterators(HostBuilder &builder, StrideTable &table,
                          HostPlan &plan) {
  /// A line of a cache, and a few vectors.
  constexpr int64_t kLine = 16, kVectors = 48;
  const Access rows = table.inputs[plan.rowInput],
               columns = table.inputs[plan.columnInput];
  sortBy(table.output(), plan.batch);
  sortBy(findNeighbours(rows, plan.rows) ? rows : table.output(), plan.rows);
  sortBy(table.output(), plan.columns);
  sortBy(columns, plan.sums);
  std::optional<unsigned> ofRows = findNeighbours(rows, plan.sums),
                          ofColumns = findNeighbours(columns, plan.sums);
  if (ofRows && !ofColumns)
    sortBy(rows, plan.sums);
  std::optional<unsigned> ofInput = findNeighbours(columns, plan.columns),
                          ofResult =
                              findNeighbours(table.output(), plan.columns);
  interleave(builder, table, plan.columns, ofInput, kLine, ofResult, kVectors);
  if (ofInput && ofResult && ofInput != ofResult &&
      !ShapedType::isDynamic(table.extents[plan.columns.back()]) &&
      !ShapedType::isDynamic(table.extents[plan.columns.end()[-2]])) {
    plan.inputNeighbours = table.extents[plan.columns.end()[-2]];
    plan.resultNeighbours = table.extents[plan.columns.back()];
  }
  interleave(builder, table, plan.sums, ofRows, kLine, ofColumns, kLine);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

/// As many accumulators as registers hold beside the vectors of a step: three
/// vectors by four or eight rows, or one vector of each part. Tiles of three
/// vectors have many divisors, so that runs of results divide them.
static void chooseRegisters(HostVectors unit, HostPlan &plan) {
  plan.lanes = std::max<int64_t>(
      1, unit.bits / int64_t(plan.part.getIntOrFloatBitWidth()));
  plan.vectors = plan.parts == 1 ? 3 : 1;
  plan.rowTile = unit.registers >= 32 ? 8 : 4;
}

static void chooseBlocks(int64_t batch, int64_t rows, int64_t columns,
                         int64_t sums, HostPlan &plan) {
  int64_t bytes = plan.parts * plan.part.getIntOrFloatBitWidth() / 8;
  plan.depth = std::min(kDepth, sums);
  auto blockOf = [&](int64_t budget, int64_t extent, int64_t tile) {
    int64_t most = std::max(tile, budget / (plan.depth * bytes) / tile * tile);
    return std::min(most, extent > most ? most
                                        : int64_t(llvm::alignTo(extent, tile)));
  };
  int64_t tile = plan.columnTile();
  plan.columnBlock = std::min(blockOf(kColumnBytes, columns, tile),
                              std::max(tile, kMostColumns / tile * tile));
  // Tiles of columns are packed as wholes, so blocks hold whole ones, even
  // where that is more than the budget.
  int64_t whole = std::lcm(plan.inputNeighbours * plan.resultNeighbours, tile);
  if (whole <= kMostColumns && plan.parts == 1)
    plan.columnBlock = std::max<int64_t>(1, plan.columnBlock / whole) * whole;
  else
    plan.inputNeighbours = plan.resultNeighbours = 1;
  plan.rowBlock = blockOf(kRowBytes, rows, plan.rowTile);
  int64_t blocks = llvm::divideCeil(columns, plan.columnBlock);
  int64_t groups = std::max<int64_t>(1, kTasks / blocks);
  plan.rowGroup = std::min(
      plan.rowBlock,
      std::max(kLeastRowGroup,
               int64_t(llvm::alignTo(llvm::divideCeil(plan.rowBlock, groups),
                                     plan.rowTile))));
  int64_t tasks = blocks * llvm::divideCeil(rows, plan.rowGroup);
  plan.sharesBatch = batch > 1 && tasks < kTasks;
  if (plan.sharesBatch) // panels of rows lie on each task's stack
    plan.rowGroup = plan.rowBlock = blockOf(kColumnBytes, rows, plan.rowTile);
}

std::optional<HostPlan> mlir::tc::planForHost(ContractOp op,
                                              const StrideTable &table,
                                              HostVectors unit) {
  HostPlan plan;
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2 ||
      !choosePart(op, plan) || !classify(table, plan))
    return std::nullopt;
  chooseRegisters(unit, plan);
  ArrayRef<int64_t> extents = table.nominalExtents;
  auto all = llvm::to_vector(llvm::seq<unsigned>(table.getNumIterators()));
  int64_t sums = countPoints(plan.sums, extents);
  // Of a vector times a matrix each element is used once, of an outer product
  // each result: nothing is gained by copies.
  if (countPoints(all, extents) < kHostTerms || sums < 2 ||
      countPoints(plan.rows, extents) < 2 ||
      countPoints(plan.columns, extents) < plan.lanes)
    return std::nullopt;
  plan.hasOneDepth =
      sums <= kDepth && llvm::none_of(plan.sums, [&](unsigned i) {
        return ShapedType::isDynamic(table.extents[i]);
      });
  return plan;
}

void mlir::tc::orderIterators(HostBuilder &builder, StrideTable &table,
                              HostPlan &plan) {
  sortIterators(builder, table, plan);
  auto count = [&](ArrayRef<unsigned> iterators) {
    return countPoints(iterators, table.nominalExtents);
  };
  chooseBlocks(count(plan.batch), count(plan.rows), count(plan.columns),
               count(plan.sums), plan);
}
