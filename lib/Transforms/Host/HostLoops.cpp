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

#include "Contract/IteratorTable.h"
#include "Host/HostBuilder.h"
#include "Host/HostPlan.h"

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
static uint64_t countElements(const Access &input,
                              const ContractAccess &access) {
  uint64_t count = 1;
  for (unsigned i = 0, e = access.getNumIterators(); i != e; ++i)
    if (input.variesWith(i))
      count =
          llvm::SaturatingMultiply<uint64_t>(count, access.nominalExtents[i]);
  return count;
}

/// Are neighbours of the largest input neighbours in the result?
static bool hasNeighbouringResults(const LoopOrder &order,
                                   const ContractAccess &access) {
  if (order.results.empty() || order.sums.empty() || access.inputs.empty())
    return false;
  const Access &largest =
      *llvm::max_element(access.inputs, [&](const Access &a, const Access &b) {
        return countElements(a, access) < countElements(b, access);
      });
  return largest.strides[order.results.back()] == 1;
}

static LoopOrder orderLoops(ContractOp op, const ContractAccess &access) {
  LoopOrder order;
  for (unsigned i = 0, e = access.getNumIterators(); i != e; ++i)
    (access.contracted[i] ? order.sums : order.results).push_back(i);
  auto outer = [](const Access &operand) {
    return [&operand](unsigned a, unsigned b) {
      return std::abs(operand.nominal[a]) > std::abs(operand.nominal[b]);
    };
  };
  llvm::stable_sort(order.results, outer(access.output()));
  if (op.mayReorder() && !access.inputs.empty())
    llvm::stable_sort(order.sums, outer(access.inputs.front()));
  uint64_t terms = 1, count = 1;
  for (int64_t extent : access.nominalExtents)
    terms = llvm::SaturatingMultiply<uint64_t>(terms, extent);
  bool isWorthTasks = op.hasStaticExtents() && terms >= uint64_t(kHostTerms);
  order.isBlocked = isWorthTasks && hasNeighbouringResults(order, access);
  // A row of results without sums is the loop that becomes vectors.
  size_t inTasks = 0, most = order.results.size();
  if (order.sums.empty() && most != 0)
    --most;
  while (isWorthTasks && !order.isBlocked && inTasks != most &&
         count < uint64_t(kTasks))
    count *= access.extents[order.results[inTasks++]];
  llvm::append_range(order.tasks, ArrayRef(order.results).take_front(inTasks));
  llvm::append_range(order.loops, ArrayRef(order.results).drop_front(inTasks));
  llvm::append_range(order.loops, order.sums);
  return order;
}

void mlir::tc::markDistinct(scf::ParallelOp loop, bool hasSides) {
  // A side may be the result itself.
  if (!hasSides)
    TCDialect::DistinctAttrHelper(loop.getContext())
        .setAttr(loop, UnitAttr::get(loop.getContext()));
}

/// Puts the part of `op` inside of the iterators of tasks into a loop over
/// these.
static void moveIntoTasks(RewriterBase &rewriter, TableTerm &term,
                          const IteratorTable &table, const LoopOrder &order) {
  ContractOp op = term.op;
  HostBuilder builder(op.getLoc(), rewriter);
  auto counts = llvm::map_to_vector(
      order.tasks, [&](unsigned i) { return builder.get(table[i].extent); });
  scf::ParallelOp tasks = builder.parallel(counts);
  rewriter.moveOpBefore(op, tasks.getBody()->getTerminator());
  rewriter.setInsertionPoint(op);
  for (auto [column, reach] : llvm::enumerate(term.reaches)) {
    SmallVector<Product> offset = {{reach.offset, rewriter.getIndexAttr(1)}};
    for (auto [i, value] :
         llvm::zip_equal(order.tasks, tasks.getInductionVars()))
      offset.push_back({value, table[i].strides[column].value});
    reach.offset = buildSum(rewriter, op.getLoc(), offset);
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

/// Makes each block of `grid` a task.
static scf::ParallelOp shareBlocks(RewriterBase &rewriter, ParOp grid) {
  Location loc = grid.getLoc();
  rewriter.setInsertionPoint(grid);
  auto getValues = [&](ArrayRef<OpFoldResult> bounds) {
    return getValueOrCreateConstantIndexOp(rewriter, loc, bounds);
  };
  auto tasks = scf::ParallelOp::create(
      rewriter, loc, getValues(grid.getMixedLower()),
      getValues(grid.getMixedUpper()),
      getValues(getAsIndexOpFoldResult(grid.getContext(), grid.getStep())));
  rewriter.eraseOp(grid.getBody()->getTerminator());
  rewriter.inlineBlockBefore(grid.getBody(), tasks.getBody()->getTerminator(),
                             tasks.getInductionVars());
  rewriter.eraseOp(grid);
  return tasks;
}

LogicalResult mlir::tc::shareLoops(RewriterBase &rewriter, ContractOp op,
                                   const ContractAccess &access) {
  LoopOrder order = orderLoops(op, access);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  FailureOr<std::vector<TableTerm>> terms = getTableTerms(rewriter, op);
  if (failed(terms))
    return failure();
  IteratorTable table = getIteratorTable(*terms), rows;
  if (!order.tasks.empty())
    moveIntoTasks(rewriter, terms->front(), table, order);
  for (unsigned i : order.loops)
    rows.push_back(table[i]);
  ContractGroup ordered = rebuildFromTable(
      rewriter, *terms, rows, [&](ContractOp old, ArrayRef<StringRef>) {
        return order.isBlocked
                   ? getBlockSchedule(old, table[order.results.back()].name)
                   : ScheduleAttr();
      });
  if (!order.isBlocked)
    return success();
  bool hasSides = !ordered.front().getSides().empty();
  FailureOr<ParOp> grid = tile(rewriter, ordered);
  if (failed(grid))
    return failure();
  markDistinct(shareBlocks(rewriter, *grid), hasSides);
  return success();
}
