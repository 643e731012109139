//===- HostLoops.cpp - Contractions that stay loops -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostLoops.h"

#include "Host/HostBuilder.h"
#include "Host/HostPlan.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Iterators, outermost first: those of tasks, and those of the loops in one.
struct LoopOrder {
  SmallVector<unsigned> results, sums, tasks, loops;
  bool isWorthTasks = false;
};
} // namespace

/// Tasks that keep all threads busy to the end.
static constexpr int64_t kTasks = 64;

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
  order.isWorthTasks = op.hasStaticExtents() && terms >= uint64_t(kHostTerms);
  // A row of results without sums is the loop that becomes vectors.
  size_t inTasks = 0, most = order.results.size();
  if (order.sums.empty() && most != 0)
    --most;
  while (order.isWorthTasks && inTasks != most && count < uint64_t(kTasks))
    count *= access.extents[order.results[inTasks++]];
  llvm::append_range(order.tasks, ArrayRef(order.results).take_front(inTasks));
  llvm::append_range(order.loops, ArrayRef(order.results).drop_front(inTasks));
  llvm::append_range(order.loops, order.sums);
  return order;
}

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

namespace {
/// A contraction on its way into a task.
struct TaskBuilder {
  RewriterBase &rewriter;
  ContractOp op;
  const LoopOrder &order;
  ValueRange point; ///< the values of the iterators of tasks

  std::pair<Value, AffineMap> buildView(const Reach &reach, AffineMap map);
  void build(ArrayRef<Reach> reaches);
};
} // namespace

/// What the loops of a task reach of one operand.
std::pair<Value, AffineMap> TaskBuilder::buildView(const Reach &reach,
                                                   AffineMap map) {
  SmallVector<OpFoldResult> extents = op.getMixedExtents(), sizes, strides;
  SmallVector<AffineExpr> subscripts;
  for (auto [position, i] : llvm::enumerate(order.loops)) {
    if (!ContractOp::variesWith(map, i))
      continue;
    sizes.push_back(extents[i]);
    strides.push_back(reach.strides[i]);
    subscripts.push_back(rewriter.getAffineDimExpr(position));
  }
  SmallVector<Product> offset = {{reach.offset, rewriter.getIndexAttr(1)}};
  for (auto [i, value] : llvm::zip_equal(order.tasks, point))
    offset.push_back({value, reach.strides[i]});
  Location loc = op.getLoc();
  Value view = ViewOp::create(rewriter, loc, reach.base,
                              buildSum(rewriter, loc, offset), sizes, strides);
  return {view, AffineMap::get(order.loops.size(), 0, subscripts,
                               rewriter.getContext())};
}

void TaskBuilder::build(ArrayRef<Reach> reaches) {
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [reach, map] : llvm::zip_equal(reaches, op.getMaps())) {
    auto [view, subscripts] = buildView(reach, map);
    operands.push_back(view);
    maps.push_back(subscripts);
  }
  SmallVector<OpFoldResult> all = op.getMixedExtents(), extents;
  SmallVector<StringRef> names;
  for (unsigned i : order.loops) {
    extents.push_back(all[i]);
    names.push_back(op.getIterator(i));
  }
  ValueRange range(operands);
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto inner = ContractOp::create(
      rewriter, op.getLoc(), names, extents, range.take_front(inputs),
      range.slice(inputs, sides), range.drop_front(inputs + sides), maps,
      op.getOverwrite());
  inner.takeMeaning(op);
}

void mlir::tc::markDistinct(scf::ParallelOp loop, ContractOp op) {
  // A side may be the result itself.
  if (op.getSides().empty())
    op.getContext()
        ->getLoadedDialect<TCDialect>()
        ->getDistinctAttrHelper()
        .setAttr(loop, UnitAttr::get(op.getContext()));
}

void mlir::tc::shareLoops(RewriterBase &rewriter, ContractOp op,
                          const ContractAccess &access) {
  LoopOrder order = orderLoops(op, access);
  if (order.isWorthTasks && hasNeighbouringResults(order, access))
    return buildSumsOutside(op, access, order.results, order.sums);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<Reach> reaches = buildReaches(rewriter, op, access);
  auto build = [&](ValueRange point) {
    TaskBuilder{rewriter, op, order, point}.build(reaches);
  };
  if (order.tasks.empty()) {
    build({});
  } else {
    HostBuilder builder(loc, rewriter);
    auto counts = llvm::map_to_vector(order.tasks, [&](unsigned i) {
      return builder.constant(access.extents[i]);
    });
    scf::ParallelOp parallel = builder.parallel(counts);
    rewriter.setInsertionPointToStart(parallel.getBody());
    build(parallel.getInductionVars());
  }
  rewriter.eraseOp(op);
}
