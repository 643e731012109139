//===- Normalize.cpp - One stride per iterator and operand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/IteratorTable.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Algebra/Lmad.h"
#include "tc/Analysis/Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_NORMALIZE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does walking `outer` and `inner` reach what walking one iterator reaches?
static bool canMerge(const IteratorRow &outer, const IteratorRow &inner) {
  if (outer.contracted != inner.contracted ||
      (outer.contracted && outer.term != inner.term) ||
      inner.staticExtent <= 0 || ShapedType::isDynamic(outer.staticExtent))
    return false;
  return llvm::all_of(
      llvm::zip_equal(outer.strides, inner.strides), [&](auto strides) {
        int64_t a = std::get<0>(strides).known, b = std::get<1>(strides).known;
        return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
               a == b * inner.staticExtent;
      });
}

/// May rows `i` and `j` become one without a change of the order of terms?
static bool keepsOrder(const IteratorTable &table, size_t i, size_t j) {
  if (!table[i].contracted)
    return true;
  // The next contracted row after i must be j.
  for (size_t k = i + 1; k < table.size(); ++k)
    if (table[k].contracted)
      return k == j;
  return false;
}

/// Merges rows as long as two can be; the pair stays where its first row was.
static void mergeRows(IteratorTable &table, bool inOrder) {
  llvm::StringSet<> names;
  for (const IteratorRow &row : table)
    names.insert(row.name);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < table.size() && !changed; ++i)
      for (size_t j = 0; j < table.size() && !changed; ++j) {
        if (i == j || !canMerge(table[i], table[j]) ||
            (inOrder && !keepsOrder(table, i, j)))
          continue;
        IteratorRow &outer = table[i], &inner = table[j];
        outer.name += inner.name;
        while (!names.insert(outer.name).second)
          outer.name += '_';
        outer.staticExtent *= inner.staticExtent;
        outer.extent = IntegerAttr::get(
            IndexType::get(outer.extent.getContext()), outer.staticExtent);
        outer.strides = inner.strides;
        table.erase(table.begin() + j);
        changed = true;
      }
  }
}

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

/// Is one result element reached from two points? Then it has no one value.
/// Of dynamic strides the caller vouches for it.
static bool hasOverlappingResults(const TableTerm &term,
                                  const IteratorTable &table) {
  ContractOp op = term.op;
  unsigned end = term.firstColumn + term.reaches.size();
  for (unsigned o = end - op.getOutputs().size(); o < end; ++o) {
    SmallVector<int64_t> sizes, strides;
    for (const IteratorRow &row : table)
      if (!row.contracted) {
        sizes.push_back(row.staticExtent);
        strides.push_back(row.strides[o].known);
      }
    if (!llvm::any_of(sizes, ShapedType::isDynamic) &&
        !llvm::any_of(strides, ShapedType::isDynamic) &&
        !isInjective(Lmad(0, sizes, strides)))
      return true;
  }
  return false;
}

/// The schedule without factors of iterators that are not in `names`.
static ScheduleAttr dropOthers(ContractOp op, ArrayRef<StringRef> names) {
  ScheduleAttr schedule = op.getScheduleAttr();
  return schedule ? schedule.keepOnly(names) : ScheduleAttr();
}

/// Is nothing to be computed: no results, or no terms for old results that no
/// epilogue changes?
static bool isIdle(ArrayRef<ContractOp> ops, const IteratorTable &table) {
  ContractOp first = ops.front(), last = ops.back();
  // A dynamic extent does not say so, but a result without elements does.
  bool noResults = llvm::any_of(first.getOutputs(), [](Value output) {
    return llvm::is_contained(cast<MemRefType>(output.getType()).getShape(), 0);
  });
  SmallVector<bool> noTerms(ops.size(), false);
  for (const IteratorRow &row : table) {
    noResults |= row.staticExtent == 0 && !row.contracted;
    if (row.staticExtent == 0 && row.contracted)
      noTerms[row.term] = true;
  }
  return noResults || (!first.getOverwrite() && last.getEpilogue().empty() &&
                       llvm::all_of(noTerms, [](bool none) { return none; }));
}

FailureOr<ContractGroup> mlir::tc::normalize(RewriterBase &rewriter,
                                             ContractGroup ops) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getOuter(ops));
  FailureOr<std::vector<TableTerm>> terms = getTableTerms(rewriter, ops);
  if (failed(terms))
    return failure();
  IteratorTable table = getIteratorTable(*terms);
  if (isIdle(ops, table)) {
    rewriter.eraseOp(getOuter(ops));
    return ContractGroup();
  }
  llvm::erase_if(table,
                 [](const IteratorRow &row) { return row.staticExtent == 1; });
  for (TableTerm &term : *terms)
    if (hasOverlappingResults(term, table))
      return term.op.emitOpError("expected each result element to be reached "
                                 "once, got a result of overlapping strides: ")
             << term.op.getOutput().getType();
  // A schedule names iterators; merging them would take the names away.
  if (llvm::none_of(ops, [](ContractOp op) { return op.getSchedule(); }))
    mergeRows(table, /*inOrder=*/!ops.front().mayReorder());

  return rebuildFromTable(rewriter, *terms, table, dropOthers);
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
