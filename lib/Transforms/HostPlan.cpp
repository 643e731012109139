//===- HostPlan.cpp - How a CPU computes a contraction --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostPlan.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Half of a second-level cache of usual size, for a block of columns, and a
/// share of the third, for panels of rows.
static constexpr int64_t kColumnBytes = 256 << 10, kRowBytes = 4 << 20;
static constexpr int64_t kDepth = 256, kMostColumns = 768;
/// Rows that pay for packing a block of columns once more; and how many tasks
/// keep all threads busy to the end.
static constexpr int64_t kLeastRowGroup = 256, kTasks = 16;

int64_t mlir::tc::getRun(ArrayRef<unsigned> iterators,
                         ArrayRef<int64_t> strides, ArrayRef<int64_t> extents) {
  int64_t run = 1;
  for (unsigned i : llvm::reverse(iterators)) {
    if (strides[i] != run || ShapedType::isDynamic(extents[i]))
      break;
    run *= extents[i];
  }
  return run;
}

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
  // Booleans are bits in vectors and bytes in memory.
  return plan.part.isF32() || plan.part.isF64() ||
         (isa<IntegerType>(plan.part) && !plan.part.isInteger(1));
}

/// Sorts iterators into classes by what varies with them.
static bool classify(const ContractAccess &access, HostPlan &plan) {
  auto inner = [&](unsigned i) { return std::abs(access.output().nominal[i]); };
  std::optional<unsigned> last;
  for (unsigned i = 0, e = access.getNumIterators(); i != e; ++i)
    if (!access.contracted[i] && (!last || inner(i) < inner(*last)))
      last = i;
  if (!last || access.getInputsVarying(*last) % 3 == 0)
    return false;
  plan.columnInput = access.inputs[1].variesWith(*last) ? 1 : 0;
  plan.rowInput = 1 - plan.columnInput;
  for (unsigned i = 0, e = access.getNumIterators(); i != e; ++i) {
    uint64_t varying = access.getInputsVarying(i);
    (access.contracted[i]                         ? plan.sums
     : varying == uint64_t(1) << plan.columnInput ? plan.columns
     : varying == uint64_t(1) << plan.rowInput    ? plan.rows
                                                  : plan.batch)
        .push_back(i);
  }
  auto sumStride = [&](unsigned i) {
    int64_t least = INT64_MAX;
    for (const Access &input : access.inputs)
      if (input.variesWith(i))
        least = std::min(least, std::abs(input.nominal[i]));
    return least;
  };
  auto outermostFirst = [](auto stride) {
    return [stride](unsigned a, unsigned b) { return stride(a) > stride(b); };
  };
  for (auto *iterators : {&plan.batch, &plan.rows, &plan.columns})
    llvm::stable_sort(*iterators, outermostFirst(inner));
  llvm::stable_sort(plan.sums, outermostFirst(sumStride));
  return true;
}

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
                                              const ContractAccess &access,
                                              HostVectors unit) {
  HostPlan plan;
  if (!op.isMultiplyAdd() || op.getInputs().size() != 2 ||
      !choosePart(op, plan) || !classify(access, plan))
    return std::nullopt;
  chooseRegisters(unit, plan);
  ArrayRef<int64_t> extents = access.nominalExtents;
  int64_t batch = countPoints(plan.batch, extents),
          rows = countPoints(plan.rows, extents),
          columns = countPoints(plan.columns, extents),
          sums = countPoints(plan.sums, extents);
  auto all = llvm::to_vector(llvm::seq<unsigned>(access.getNumIterators()));
  // Of a vector times a matrix each element is used once, of an outer product
  // each result: nothing is gained by copies.
  if (countPoints(all, extents) < kHostTerms || rows < 2 || sums < 2 ||
      columns < plan.lanes)
    return std::nullopt;
  chooseBlocks(batch, rows, columns, sums, plan);
  return plan;
}
