//===- CheckNests.cpp - Report iterations that are not independent --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Nests/CheckNests.h"

#include "tc/Transforms/Passes.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/NestDependence.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CHECKNESTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does `op` run in every iteration of the loops between it and `par`?
static bool isUnconditional(Operation *op, ParOp par) {
  for (Operation *parent = op->getParentOp(); parent != par;
       parent = parent->getParentOp())
    if (!isa<ParOp, SeqOp, scf::ForOp>(parent))
      return false;
  return true;
}

static LogicalResult report(ParOp par, const NestAccess &first,
                            const NestAccess &second,
                            const IterationPair &iterations) {
  const NestAccess &write = first.writes ? first : second;
  const NestAccess &other = first.writes ? second : first;
  InFlightDiagnostic error = write.op->emitOpError(
      "expected iterations of tc.par to be independent: ");
  error << "(" << iterations.first << ") and (" << iterations.second << ")"
        << (other.writes ? " write to" : " write and read") << " one element";
  error.attachNote(par.getLoc()) << "the iterations are of this tc.par";
  if (other.op != write.op)
    error.attachNote(other.op->getLoc())
        << "the other one " << (other.writes ? "writes" : "reads") << " here";
  return error;
}

/// Do lanes wait for each other, as to `buffer`, between two ops of a block?
static bool areOrderedBetween(Block::iterator first, Block::iterator end,
                              Value buffer) {
  return llvm::any_of(llvm::make_range(first, end), [&](Operation &op) {
    auto ptx = dyn_cast<PtxOp>(op);
    return ptx && llvm::any_of(ptx.getOrders(), [&](Value memref) {
             return findBuffer(memref) == buffer;
           });
  });
}

/// Do all lanes of `par` come by an op that orders their accesses to `buffer`
/// on each way from `first` to `second` and back?
static bool areOrdered(ParOp par, Operation *first, Operation *second,
                       Value buffer) {
  if (!par.getFull())
    return false;
  Block *block = first->getBlock();
  while (!block->findAncestorOpInBlock(*second))
    block = block->getParentOp()->getBlock();
  Operation *a = block->findAncestorOpInBlock(*first),
            *b = block->findAncestorOpInBlock(*second);
  if (b->isBeforeInBlock(a))
    std::swap(a, b);
  if (a == b ||
      !areOrderedBetween(std::next(a->getIterator()), b->getIterator(), buffer))
    return false;
  // The way back is through the next iteration of a loop.
  while (
      !areOrderedBetween(std::next(b->getIterator()), block->end(), buffer) &&
      !areOrderedBetween(block->begin(), a->getIterator(), buffer)) {
    Operation *parent = block->getParentOp();
    if (parent == par)
      return true;
    if (isa<LoopLikeOpInterface>(parent))
      return false;
    a = b = parent;
    block = parent->getBlock();
  }
  return true;
}

LogicalResult mlir::tc::checkIndependence(ParOp par, NestValues &values) {
  SmallVector<NestAccess> accesses;
  par.walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values))
      if (access.isExact && isUnconditional(op, par) &&
          !par->isAncestor(access.buffer.getParentRegion()->getParentOp()))
        accesses.push_back(access);
  });
  for (auto [i, first] : llvm::enumerate(accesses))
    for (const NestAccess &second : ArrayRef(accesses).drop_front(i)) {
      if (first.buffer != second.buffer || !(first.writes || second.writes) ||
          (first.isAtomic && second.isAtomic) ||
          areOrdered(par, first.op, second.op, first.buffer))
        continue;
      if (auto iterations = findMeeting(par, first, second, values))
        return report(par, first, second, *iterations);
    }
  return success();
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Does `op` run, whatever the program is given?
static bool isReached(Operation *op) {
  for (Operation *parent = op->getParentOp(); !isa<func::FuncOp>(parent);
       parent = parent->getParentOp())
    if (!isa<ParOp, SeqOp, scf::ForOp>(parent) ||
        countIterations(parent).value_or(0) < 1)
      return false;
  return true;
}

/// The least and the largest value of `subscript`, where it is linear in
/// indices of constant bounds: both are taken then.
static std::optional<std::pair<int64_t, int64_t>>
findExtremes(AffineExpr subscript, NestValues &values) {
  auto form = linearForm(subscript, values.getNumDims());
  if (!form)
    return std::nullopt;
  std::optional<int64_t> low = staticValue(form->constant), high = low;
  auto add = [](std::optional<int64_t> &sum, int64_t factor, int64_t index) {
    auto product = llvm::checkedMul(factor, index);
    sum = sum && product ? llvm::checkedAdd(*sum, *product) : std::nullopt;
  };
  for (auto [d, factor] : llvm::enumerate(form->factors)) {
    if (factor == 0)
      continue;
    Value value = values.getValue(d);
    std::optional<NestRange> range = value ? findRange(value) : std::nullopt;
    if (!range || range->step.value_or(0) < 1 || !range->width)
      return std::nullopt;
    auto lower = getConstantIntValue(range->lower),
         upper = getConstantIntValue(range->upper);
    auto extent =
        lower && upper ? llvm::checkedSub(*upper, *lower) : std::nullopt;
    if (!extent || *extent < 1)
      return std::nullopt;
    // The last index is the last one of the last step that has any.
    int64_t step = *range->step, whole = (*extent - 1) / step * step;
    int64_t last =
        *lower + whole + std::min(*extent - 1 - whole, *range->width - 1);
    add(low, factor, factor > 0 ? *lower : last);
    add(high, factor, factor > 0 ? last : *lower);
  }
  if (!low || !high)
    return std::nullopt;
  return std::pair(*low, *high);
}

/// An error where an access to one element is out of bounds in some iteration,
/// and this is certain.
static LogicalResult checkBounds(const NestAccess &access, NestValues &values) {
  auto type = dyn_cast<MemRefType>(access.buffer.getType());
  if (!type || !access.isExact || access.isLinear ||
      access.subscripts.size() != size_t(type.getRank()) ||
      !isReached(access.op))
    return success();
  for (auto [d, subscript] : llvm::enumerate(access.subscripts)) {
    auto extremes = findExtremes(subscript, values);
    if (!extremes || type.isDynamicDim(d))
      continue;
    auto [low, high] = *extremes;
    if (low < 0 || high >= type.getDimSize(d))
      return access.op->emitOpError("expected subscript ")
             << d << " to be from 0 to " << type.getDimSize(d) - 1 << ", as "
             << type << " has it, got " << (low < 0 ? low : high)
             << " in some iteration";
  }
  return success();
}

namespace {
struct CheckNestsPass : tc::impl::CheckNestsBase<CheckNestsPass> {
  void runOnOperation() override {
    NestValues values(&getContext());
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (auto par = dyn_cast<ParOp>(op);
          par && failed(checkIndependence(par, values)))
        return WalkResult::interrupt();
      // Code of the host reaches no elements.
      if (op->getParentOfType<ParOp>())
        for (const NestAccess &access : getAccesses(op, values))
          if (failed(checkBounds(access, values)))
            return WalkResult::interrupt();
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
