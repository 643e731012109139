//===- Normalize.cpp - One stride per iterator and operand ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Algebra/LmadQueries.h"
#include "tc/Analysis/Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_NORMALIZE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
/// Contractions as a table: a row per iterator, a stride column per operand of
/// each. Strides and extents are kDynamic where only the run knows them.
struct Row {
  std::string name;
  OpFoldResult extent;
  int64_t staticExtent;
  bool contracted;
  unsigned term; ///< the contraction that a contracted iterator is of
  SmallVector<int64_t> strides;
  SmallVector<int64_t> nominal;     ///< the same with estimates
  SmallVector<OpFoldResult> values; ///< the same as values
};
using Table = SmallVector<Row>;

/// One contraction and its place in the table.
struct Term {
  ContractOp op;
  ContractAccess access;
  SmallVector<Reach> reaches;
  size_t firstColumn = 0;
};
} // namespace

/// The row of result iterator `name`, which all terms share.
static Row *findResultRow(Table &table, StringRef name) {
  auto *row = llvm::find_if(table, [&](const Row &other) {
    return !other.contracted && other.name == name;
  });
  return row == table.end() ? nullptr : row;
}

static Table getTable(ArrayRef<Term> terms) {
  size_t columns = terms.back().firstColumn + terms.back().reaches.size();
  Attribute zero = IntegerAttr::get(
      IndexType::get(ContractOp(terms.front().op).getContext()), 0);
  Table table;
  for (auto [number, term] : llvm::enumerate(terms)) {
    ContractOp op = term.op;
    SmallVector<Access> operands;
    for (const auto &group :
         {term.access.inputs, term.access.sides, term.access.outputs})
      llvm::append_range(operands, group);
    SmallVector<OpFoldResult> extents = op.getMixedExtents();
    for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
      bool contracted = term.access.contracted[i];
      Row *row = contracted ? nullptr : findResultRow(table, op.getIterator(i));
      if (!row)
        row = &table.emplace_back(
            Row{op.getIterator(i).str(), extents[i], term.access.extents[i],
                contracted, unsigned(number), SmallVector<int64_t>(columns, 0),
                SmallVector<int64_t>(columns, 0),
                SmallVector<OpFoldResult>(columns, zero)});
      for (auto [o, operand] : llvm::enumerate(operands)) {
        row->strides[term.firstColumn + o] = operand.strides[i];
        row->nominal[term.firstColumn + o] = operand.nominal[i];
        row->values[term.firstColumn + o] = term.reaches[o].strides[i];
      }
    }
  }
  return table;
}

/// Does walking `outer` and `inner` reach what walking one iterator reaches?
static bool canMerge(const Row &outer, const Row &inner) {
  if (outer.contracted != inner.contracted ||
      (outer.contracted && outer.term != inner.term) ||
      inner.staticExtent <= 0 || ShapedType::isDynamic(outer.staticExtent))
    return false;
  return llvm::all_of(
      llvm::zip_equal(outer.strides, inner.strides), [&](auto strides) {
        auto [a, b] = strides;
        return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
               a == b * inner.staticExtent;
      });
}

/// May rows `i` and `j` become one without a change of the order of terms?
static bool keepsOrder(const Table &table, size_t i, size_t j) {
  if (!table[i].contracted)
    return true;
  // The next contracted row after i must be j.
  for (size_t k = i + 1; k < table.size(); ++k)
    if (table[k].contracted)
      return k == j;
  return false;
}

/// Merges rows as long as two can be; the pair stays where its first row was.
static void mergeRows(Table &table, bool inOrder) {
  llvm::StringSet<> names;
  for (const Row &row : table)
    names.insert(row.name);
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = 0; i < table.size() && !changed; ++i)
      for (size_t j = 0; j < table.size() && !changed; ++j) {
        if (i == j || !canMerge(table[i], table[j]) ||
            (inOrder && !keepsOrder(table, i, j)))
          continue;
        Row &outer = table[i], &inner = table[j];
        outer.name += inner.name;
        while (!names.insert(outer.name).second)
          outer.name += '_';
        outer.staticExtent *= inner.staticExtent;
        outer.extent = IntegerAttr::get(
            IndexType::get(outer.extent.getContext()), outer.staticExtent);
        outer.strides = inner.strides;
        outer.nominal = inner.nominal;
        outer.values = inner.values;
        table.erase(table.begin() + j);
        changed = true;
      }
  }
}

/// A view with a dimension for each row that operand `column` varies with, and
/// the map from `rows` that names them. Dimensions are in memory order, largest
/// stride first.
static std::pair<Value, AffineMap> buildView(OpBuilder &builder, Location loc,
                                             const Reach &reach,
                                             ArrayRef<Row> rows,
                                             unsigned column, bool isInput) {
  SmallVector<unsigned> dims;
  for (auto [i, row] : llvm::enumerate(rows)) {
    // An input that is not read at all may have no element to view.
    bool isEmpty = isInput && row.contracted && row.staticExtent == 0;
    if (row.strides[column] != 0 || isEmpty)
      dims.push_back(i);
  }
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return std::abs(rows[a].nominal[column]) >
           std::abs(rows[b].nominal[column]);
  });
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims) {
    sizes.push_back(rows[i].extent);
    strides.push_back(rows[i].values[column]);
    subscripts.push_back(builder.getAffineDimExpr(i));
  }
  Value view = builder.createOrFold<ViewOp>(loc, reach.base, reach.offset,
                                            sizes, strides);
  return {view,
          AffineMap::get(rows.size(), 0, subscripts, builder.getContext())};
}

/// Is the layout of `operand` at hand: static, or that of a tc.view?
static bool hasKnownLayout(Value operand) {
  auto type = cast<MemRefType>(operand.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (operand.getDefiningOp<ViewOp>())
    return true;
  return type.hasStaticShape() &&
         succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         !llvm::any_of(strides, ShapedType::isDynamic);
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
/// Where only the run knows the strides the caller vouches for it.
static bool hasOverlappingResults(const Term &term, const Table &table) {
  ContractOp op = term.op;
  unsigned end = term.firstColumn + term.reaches.size();
  for (unsigned o = end - op.getOutputs().size(); o < end; ++o) {
    SmallVector<int64_t> sizes, strides;
    for (const Row &row : table)
      if (!row.contracted) {
        sizes.push_back(row.staticExtent);
        strides.push_back(row.strides[o]);
      }
    if (!llvm::any_of(sizes, ShapedType::isDynamic) &&
        !llvm::any_of(strides, ShapedType::isDynamic) &&
        !isInjective(Lmad::get(op.getContext(), 0, sizes, strides)))
      return true;
  }
  return false;
}

/// The schedule without factors of iterators that are not in `names`.
static ScheduleAttr dropOthers(ScheduleAttr schedule,
                               ArrayRef<StringRef> names) {
  if (!schedule)
    return {};
  auto keep = [&](ArrayRef<Factor> factors) {
    return llvm::filter_to_vector(factors, [&](const Factor &factor) {
      return llvm::is_contained(names, factor.iterator.getValue());
    });
  };
  return ScheduleAttr::get(schedule.getContext(), keep(schedule.getThread()),
                           keep(schedule.getReg()), keep(schedule.getStep()),
                           schedule.getKernel());
}

/// Replaces a term by one over the rows of `table` that are its own. Views are
/// the same for all terms where their operands are, so that the terms of a
/// tc.sum keep one result.
static ContractOp rebuild(RewriterBase &rewriter, const Term &term,
                          ArrayRef<Row> rows,
                          DenseMap<Value, Value> &resultViews) {
  ContractOp op = term.op;
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  size_t outputs = term.reaches.size() - op.getOutputs().size();
  for (auto [o, reach] : llvm::enumerate(term.reaches)) {
    auto [view, map] =
        buildView(rewriter, op.getLoc(), reach, rows, term.firstColumn + o,
                  /*isInput=*/o < op.getInputs().size());
    if (o >= outputs) {
      Value &shared = resultViews.try_emplace(op.getShapedOperands()[o], view)
                          .first->second;
      if (shared != view && view.use_empty() && view.getDefiningOp<ViewOp>())
        rewriter.eraseOp(view.getDefiningOp());
      view = shared;
    }
    operands.push_back(view);
    maps.push_back(map);
  }
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents;
  for (const Row &row : rows) {
    names.push_back(row.name);
    extents.push_back(row.extent);
  }
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto result = ContractOp::create(
      rewriter, op.getLoc(), names, extents,
      ArrayRef(operands).take_front(inputs),
      ArrayRef(operands).slice(inputs, sides),
      ArrayRef(operands).drop_front(inputs + sides), maps, op.getOverwrite(),
      dropOthers(op.getScheduleAttr(), names));
  result.takeMeaning(op);
  rewriter.replaceOp(op, result);
  return result;
}

/// The op round a group: its tc.sum, or the contraction itself.
static Operation *getOuter(ArrayRef<ContractOp> ops) {
  ContractOp first = ops.front();
  auto sum = dyn_cast<SumOp>(first->getParentOp());
  return sum ? sum.getOperation() : first.getOperation();
}

/// Is nothing to be computed: no results, or no terms for old results that no
/// epilogue changes?
static bool isIdle(ArrayRef<ContractOp> ops, const Table &table) {
  bool noResults = false;
  SmallVector<bool> noTerms(ops.size(), false);
  for (const Row &row : table) {
    noResults |= row.staticExtent == 0 && !row.contracted;
    if (row.staticExtent == 0 && row.contracted)
      noTerms[row.term] = true;
  }
  ContractOp first = ops.front(), last = ops.back();
  return noResults || (!first.getOverwrite() && last.getEpilogue().empty() &&
                       llvm::all_of(noTerms, [](bool none) { return none; }));
}

FailureOr<ContractGroup> mlir::tc::normalize(RewriterBase &rewriter,
                                             ContractGroup ops) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getOuter(ops));
  std::vector<Term> terms;
  size_t columns = 0;
  for (ContractOp op : ops) {
    FailureOr<ContractAccess> access = getContractAccess(op);
    if (failed(access))
      return failure();
    SmallVector<Reach> reaches = buildReaches(rewriter, op, *access);
    terms.push_back({op, std::move(*access), std::move(reaches), columns});
    columns += terms.back().reaches.size();
  }
  Table table = getTable(terms);
  if (isIdle(ops, table)) {
    rewriter.eraseOp(getOuter(ops));
    return ContractGroup();
  }
  llvm::erase_if(table, [](const Row &row) { return row.staticExtent == 1; });
  for (Term &term : terms)
    if (hasOverlappingResults(term, table))
      return term.op.emitOpError("expected each result element to be reached "
                                 "once, got a result of overlapping strides: ")
             << term.op.getOutput().getType();
  // A schedule names iterators; merging them would take the names away.
  if (llvm::none_of(ops, [](ContractOp op) { return op.getSchedule(); }))
    mergeRows(table, /*inOrder=*/!ops.front().mayReorder());

  ContractGroup result;
  DenseMap<Value, Value> resultViews;
  for (unsigned number = 0; number < terms.size(); ++number) {
    SmallVector<Row> rows = llvm::filter_to_vector(table, [&](const Row &row) {
      return !row.contracted || row.term == number;
    });
    result.push_back(rebuild(rewriter, terms[number], rows, resultViews));
  }
  return result;
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
