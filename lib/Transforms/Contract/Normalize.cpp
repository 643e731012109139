//===- Normalize.cpp - One stride per iterator and operand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/StrideTable.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Algebra/Lmad.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_NORMALIZE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Is the layout of `operand` at hand: static, or that of a tc.view?
static bool hasKnownLayout(Value operand) {
  return operand.getDefiningOp<ViewOp>() ||
         hasStaticLayout(cast<MemRefType>(operand.getType()));
}

bool mlir::tc::isNormal(ContractOp op) {
  if (op.hasTensorSemantics())
    return false;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (extent == 1 || (extent == 0 && !op.isContracted(i)))
      return false;
  return llvm::all_of(op.getShapedOperands(), hasKnownLayout) &&
         llvm::all_of(op.getMaps(), [](AffineMap map) {
           return map.isProjectedPermutation();
         });
}

/// Is one element of `output` reached from two points? Then it has no one
/// value. Of dynamic strides the caller vouches for it.
static bool hasOverlap(const StrideTable &table, const Access &output) {
  SmallVector<int64_t> sizes, strides;
  for (unsigned i = 0, e = table.getNumIterators(); i < e; ++i)
    if (!table.contracted[i]) {
      sizes.push_back(table.extents[i]);
      strides.push_back(output.strides[i]);
    }
  return !llvm::is_contained(sizes, ShapedType::kDynamic) &&
         !llvm::is_contained(strides, ShapedType::kDynamic) &&
         !isInjective(Lmad(0, sizes, strides));
}

/// Is nothing to be computed: no results, or no terms for old results that no
/// epilogue changes?
static bool isIdle(ArrayRef<ContractOp> ops, const StrideTable &table) {
  ContractOp first = ops.front(), last = ops.back();
  // A dynamic extent does not say so, but a result without elements does.
  bool noResults = llvm::any_of(first.getOutputs(), [](Value output) {
    return llvm::is_contained(cast<MemRefType>(output.getType()).getShape(), 0);
  });
  SmallVector<bool> noTerms(ops.size(), false);
  for (unsigned i = 0, e = table.getNumIterators(); i < e; ++i) {
    noResults |= table.extents[i] == 0 && !table.contracted[i];
    if (table.extents[i] == 0 && table.contracted[i])
      noTerms[table.term[i]] = true;
  }
  return noResults || (!first.getOverwrite() && last.getEpilogue().empty() &&
                       llvm::all_of(noTerms, [](bool none) { return none; }));
}

FailureOr<ContractGroup> mlir::tc::normalize(RewriterBase &rewriter,
                                             ContractGroup ops) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getOuter(ops));
  FailureOr<StrideTable> table = buildStrideTable(rewriter, ops);
  if (failed(table))
    return failure();
  if (isIdle(ops, *table)) {
    rewriter.eraseOp(getOuter(ops));
    return ContractGroup();
  }
  *table = selectRows(
      *table,
      llvm::filter_to_vector(llvm::seq(table->getNumIterators()),
                             [&](auto i) { return table->extents[i] != 1; }));
  for (auto [o, output] : llvm::enumerate(table->outputs))
    if (ContractOp op = ops[o / ops.front().getOutputs().size()];
        hasOverlap(*table, output))
      return op.emitOpError("expected each result element to be reached "
                            "once, got a result of overlapping strides: ")
             << op.getOutput().getType();
  // A schedule names iterators; merging them would take the names away.
  if (llvm::none_of(ops, [](ContractOp op) { return op.getSchedule(); }))
    mergeRows(rewriter, *table, /*inOrder=*/!ops.front().mayReorder());
  // Of iterators that are gone it needs no factors.
  return rebuildFromTable(
      rewriter, ops, *table, [&](unsigned number, ArrayRef<StringRef> names) {
        ScheduleAttr schedule = ops[number].getScheduleAttr();
        return schedule ? schedule.keepOnly(names) : ScheduleAttr();
      });
}

SmallVector<ContractGroup> mlir::tc::collectContractions(Operation *root) {
  SmallVector<ContractGroup> groups;
  root->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<ParOp>(op)) // contractions inside a nest are tiles already
      return WalkResult::skip();
    if (auto sum = dyn_cast<SumOp>(op)) {
      groups.push_back(sum.getTerms());
      return WalkResult::skip();
    }
    auto contract = dyn_cast<ContractOp>(op);
    if (contract && !contract.hasTensorSemantics())
      groups.push_back({contract});
    return WalkResult::advance();
  });
  return groups;
}

namespace {
struct NormalizePass : tc::impl::NormalizeBase<NormalizePass> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (failed(normalize(rewriter, ops)))
        return signalPassFailure();
  }
};
} // namespace
