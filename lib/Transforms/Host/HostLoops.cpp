//===- HostLoops.cpp - Contractions that stay loops -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The sum of each column of a matrix, a vector times a matrix: one sum after
// the other would stride through memory. A block of results is kept instead,
// near the core, and the loop inside that over the sums goes through
// neighbours. This is the nest of tc-tile for one thread.
//
//===----------------------------------------------------------------------===//

#include "Host/HostLoops.h"

#include "Contract/StrideTable.h"
#include "Host/HostBuilder.h"
#include "Host/HostPlan.h"
#include "Loops/LoopNest.h"

#include "tc/Transforms/Loops.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Iterators, outermost first: those of tasks, and those of the loops in one.
struct LoopOrder {
  SmallVector<unsigned> results, sums, tasks, loops;
  /// Does a loop over a block of results run inside the reduction loops?
  bool isBlocked = false;
};
} // namespace

/// Tasks that keep all threads busy to the end.
static constexpr int64_t kTasks = 64;
/// Results of a block: some vectors of each accumulator, in the first-level
/// cache.
static constexpr int64_t kBlock = 256;

/// Elements of an input that the contraction reads.
static uint64_t countElements(const Access &input, const StrideTable &table) {
  uint64_t count = 1;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i)
    if (input.variesWith(i))
      count =
          llvm::SaturatingMultiply<uint64_t>(count, table.nominalExtents[i]);
  return count;
}

/// Are neighbours of the largest input neighbours in the result?
static bool hasNeighbouringResults(const LoopOrder &order,
                                   const StrideTable &table) {
  if (order.results.empty() || order.sums.empty() || table.inputs.empty())
    return false;
  const Access &largest =
      *llvm::max_element(table.inputs, [&](const Access &a, const Access &b) {
        return countElements(a, table) < countElements(b, table);
      });
  return largest.strides[order.results.back()] == 1;
}

static LoopOrder orderLoops(ContractOp op, const StrideTable &table) {
  LoopOrder order;
  for (unsigned i = 0, e = table.getNumIterators(); i != e; ++i)
    (table.contracted[i] ? order.sums : order.results).push_back(i);
  auto outer = [](const Access &operand) {
    return [&operand](unsigned a, unsigned b) {
      return operand.getDistance(a) > operand.getDistance(b);
    };
  };
  llvm::stable_sort(order.results, outer(table.output()));
  if (op.mayReorder() && !table.inputs.empty())
    llvm::stable_sort(order.sums, outer(table.inputs.front()));
  uint64_t terms = 1, count = 1;
  for (int64_t extent : table.nominalExtents)
    terms = llvm::SaturatingMultiply<uint64_t>(terms, extent);
  bool isWorthTasks = op.hasStaticExtents() && terms >= uint64_t(kHostTerms);
  order.isBlocked = isWorthTasks && hasNeighbouringResults(order, table);
  // A row of results without sums is the loop that becomes vectors.
  size_t inTasks = 0, most = order.results.size();
  if (order.sums.empty() && most != 0)
    --most;
  while (isWorthTasks && !order.isBlocked && inTasks != most &&
         count < uint64_t(kTasks))
    count *= table.extents[order.results[inTasks++]];
  llvm::append_range(order.tasks, ArrayRef(order.results).take_front(inTasks));
  llvm::append_range(order.loops, ArrayRef(order.results).drop_front(inTasks));
  llvm::append_range(order.loops, order.sums);
  return order;
}

bool mlir::tc::isOfHost(ContractOp op) {
  return !op->getParentOfType<ParOp>() && !op->getParentOfType<SumOp>() &&
         !op.hasTensorSemantics();
}

void mlir::tc::markDistinct(scf::ParallelOp loop, bool hasSides) {
  // A side may be the result itself.
  if (!hasSides)
    TCDialect::DistinctAttrHelper(loop.getContext())
        .setAttr(loop, UnitAttr::get(loop.getContext()));
}

/// Puts the part of `op` inside of the iterators of tasks into a loop over
/// these.
static void moveIntoTasks(RewriterBase &rewriter, ContractOp op,
                          StrideTable &table, ArrayRef<unsigned> iterators) {
  HostBuilder builder(op.getLoc(), rewriter);
  auto counts = llvm::map_to_vector(iterators, [&](unsigned i) {
    return builder.get(table.extentValues[i]);
  });
  scf::ParallelOp tasks = builder.parallel(counts);
  rewriter.moveOpBefore(op, tasks.getBody()->getTerminator());
  rewriter.setInsertionPoint(op);
  for (Access &operand : table.columns()) {
    SmallVector<Product> offset = {{operand.start, rewriter.getIndexAttr(1)}};
    for (auto [i, value] : llvm::zip_equal(iterators, tasks.getInductionVars()))
      offset.push_back({value, operand.values[i]});
    operand.start = buildSum(rewriter, op.getLoc(), offset);
  }
}

/// The schedule of one thread with a block of results along `neighbours`.
static ScheduleAttr getBlockSchedule(ContractOp op, StringRef neighbours) {
  MLIRContext *context = op.getContext();
  SmallVector<StagingAttr> inPlace(op.getInputs().size(),
                                   StagingAttr::getInPlace(context));
  return ScheduleAttr::get(context, /*thread=*/{},
                           Factor{StringAttr::get(context, neighbours), kBlock},
                           /*step=*/{}, Kernel::Fma)
      .withStaging(inPlace);
}

/// Are all elements and accumulators of types that vectors are made of?
static bool hasVectors(ContractOp op) {
  auto isVectorType = [](Type type) {
    return type.isIntOrFloat() && hasVectorsInMemory(type) &&
           type.getIntOrFloatBitWidth() <= 64;
  };
  return llvm::all_of(op.getAccumulatorTypes(), isVectorType) &&
         llvm::all_of(op->getOperandTypes(), [&](Type type) {
           auto buffer = dyn_cast<MemRefType>(type);
           return !buffer || isVectorType(buffer.getElementType());
         });
}

/// Makes each block of `grid` a task.
static scf::ParallelOp shareBlocks(RewriterBase &rewriter, ParOp grid) {
  Location loc = grid.getLoc();
  rewriter.setInsertionPoint(grid);
  auto getValues = [&](ArrayRef<OpFoldResult> mixed) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, mixed);
  };
  SpaceBounds bounds = grid.getBounds();
  auto tasks =
      scf::ParallelOp::create(rewriter, loc, getValues(bounds.lower),
                              getValues(bounds.upper), getValues(bounds.step));
  rewriter.eraseOp(grid.getBody()->getTerminator());
  rewriter.inlineBlockBefore(grid.getBody(), tasks.getBody()->getTerminator(),
                             tasks.getInductionVars());
  rewriter.eraseOp(grid);
  return tasks;
}

LogicalResult mlir::tc::shareLoops(RewriterBase &rewriter, ContractOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<StrideTable> table = buildStrideTable(rewriter, op);
  if (failed(table))
    return failure();
  LoopOrder order = orderLoops(op, *table);
  if (!order.tasks.empty())
    moveIntoTasks(rewriter, op, *table, order.tasks);
  ScheduleAttr schedule;
  if (order.isBlocked)
    schedule = getBlockSchedule(op, table->names[order.results.back()]);
  ContractGroup ordered =
      rebuildFromTable(rewriter, op, selectRows(*table, order.loops),
                       [&](unsigned, ArrayRef<StringRef>) { return schedule; });
  if (!order.isBlocked)
    return success();
  if (hasVectors(ordered.front())) { // accumulators in registers: tc-map-host
    expandCarrying(rewriter, ordered.front());
    return success();
  }
  bool hasSides = !ordered.front().getSides().empty();
  FailureOr<ParOp> grid = tile(rewriter, ordered);
  if (failed(grid))
    return failure();
  markDistinct(shareBlocks(rewriter, *grid), hasSides);
  return success();
}
