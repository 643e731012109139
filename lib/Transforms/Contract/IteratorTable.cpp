//===- IteratorTable.cpp - Contractions as a table of strides -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/IteratorTable.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

FailureOr<std::vector<TableTerm>>
mlir::tc::getTableTerms(OpBuilder &builder, ArrayRef<ContractOp> ops) {
  std::vector<TableTerm> terms;
  size_t columns = 0;
  for (ContractOp op : ops) {
    FailureOr<ContractAccess> access = getContractAccess(op);
    if (failed(access))
      return failure();
    SmallVector<Reach> reaches = buildReaches(builder, op, *access);
    terms.push_back({op, std::move(*access), std::move(reaches), columns});
    columns += terms.back().reaches.size();
  }
  return terms;
}

/// The row of result iterator `name`, which all terms share.
static IteratorRow *findResultRow(IteratorTable &table, StringRef name) {
  auto *row = llvm::find_if(table, [&](const IteratorRow &other) {
    return !other.contracted && other.name == name;
  });
  return row == table.end() ? nullptr : row;
}

IteratorTable mlir::tc::getIteratorTable(ArrayRef<TableTerm> terms) {
  size_t columns = terms.back().firstColumn + terms.back().reaches.size();
  Attribute zero = IntegerAttr::get(
      IndexType::get(ContractOp(terms.front().op).getContext()), 0);
  IteratorTable table;
  for (auto [number, term] : llvm::enumerate(terms)) {
    ContractOp op = term.op;
    SmallVector<Access> operands = term.access.getAll();
    SmallVector<OpFoldResult> extents = op.getMixedExtents();
    for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
      bool contracted = term.access.contracted[i];
      IteratorRow *row =
          contracted ? nullptr : findResultRow(table, op.getIterator(i));
      if (!row)
        row = &table.emplace_back(
            IteratorRow{op.getIterator(i).str(), extents[i],
                        term.access.extents[i], contracted, unsigned(number),
                        SmallVector<RowStride>(columns, {0, 0, zero})});
      for (auto [o, operand] : llvm::enumerate(operands))
        row->strides[term.firstColumn + o] = {
            operand.strides[i], operand.nominal[i], term.reaches[o].strides[i]};
    }
  }
  return table;
}

IteratorRow mlir::tc::splitOff(OpBuilder &builder, Location loc,
                               IteratorRow &row, int64_t size, StringRef name) {
  IteratorRow inner = row;
  inner.name = name.str();
  inner.staticExtent = size;
  inner.extent = builder.getIndexAttr(size);
  row.extent = affine::makeComposedFoldedAffineApply(
      builder, loc,
      AffineMap::get(1, 0, builder.getAffineDimExpr(0).floorDiv(size)),
      {row.extent});
  row.staticExtent =
      getConstantIntValue(row.extent).value_or(ShapedType::kDynamic);
  for (auto &[stride, nominal, value] : row.strides) {
    value = buildProduct(builder, loc, value, size);
    nominal *= size;
    if (!ShapedType::isDynamic(stride))
      stride *= size;
  }
  return inner;
}

SmallVector<StringRef> mlir::tc::getNames(ArrayRef<IteratorRow> rows) {
  return llvm::map_to_vector(
      rows, [](const IteratorRow &row) { return StringRef(row.name); });
}

SmallVector<OpFoldResult> mlir::tc::getExtents(ArrayRef<IteratorRow> rows) {
  return llvm::map_to_vector(rows,
                             [](const IteratorRow &row) { return row.extent; });
}

std::pair<Value, AffineMap>
mlir::tc::buildRowsView(OpBuilder &builder, Location loc, const Reach &reach,
                        ArrayRef<IteratorRow> rows, unsigned column,
                        bool isInput) {
  SmallVector<unsigned> dims;
  for (auto [i, row] : llvm::enumerate(rows)) {
    // An input that is not read at all may have no element to view.
    bool isEmpty = isInput && row.contracted && row.staticExtent == 0;
    if (row.strides[column].known != 0 || isEmpty)
      dims.push_back(i);
  }
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return std::abs(rows[a].strides[column].nominal) >
           std::abs(rows[b].strides[column].nominal);
  });
  SmallVector<OpFoldResult> sizes, strides;
  SmallVector<AffineExpr> subscripts;
  for (unsigned i : dims) {
    sizes.push_back(rows[i].extent);
    strides.push_back(rows[i].strides[column].value);
    subscripts.push_back(builder.getAffineDimExpr(i));
  }
  Value view = builder.createOrFold<ViewOp>(loc, reach.base, reach.offset,
                                            sizes, strides);
  return {view,
          AffineMap::get(rows.size(), 0, subscripts, builder.getContext())};
}

using ScheduleOf = function_ref<ScheduleAttr(ContractOp, ArrayRef<StringRef>)>;

/// Replaces a term by one over the rows of `table` that are its own. Views are
/// the same for all terms where their operands are, so that the terms of a
/// tc.sum keep one result.
static ContractOp rebuild(RewriterBase &rewriter, const TableTerm &term,
                          ArrayRef<IteratorRow> rows,
                          DenseMap<Value, Value> &resultViews,
                          ScheduleOf schedule) {
  ContractOp op = term.op;
  ContractArrays arrays;
  size_t inputs = op.getInputs().size(),
         outputs = term.reaches.size() - op.getOutputs().size();
  for (auto [o, reach] : llvm::enumerate(term.reaches)) {
    auto [view, map] =
        buildRowsView(rewriter, op.getLoc(), reach, rows, term.firstColumn + o,
                      /*isInput=*/o < inputs);
    if (o >= outputs) {
      Value &shared = resultViews.try_emplace(op.getShapedOperands()[o], view)
                          .first->second;
      if (shared != view && view.use_empty() && view.getDefiningOp<ViewOp>())
        rewriter.eraseOp(view.getDefiningOp());
      view = shared;
    }
    (o < inputs    ? arrays.inputs
     : o < outputs ? arrays.sides
                   : arrays.outputs)
        .add(view, map);
  }
  SmallVector<StringRef> names = getNames(rows);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  auto result =
      ContractOp::create(rewriter, op.getLoc(), names, getExtents(rows), arrays,
                         op.getOverwrite(), schedule(op, names));
  result.takeMeaning(op);
  rewriter.replaceOp(op, result);
  return result;
}

ContractGroup mlir::tc::rebuildFromTable(RewriterBase &rewriter,
                                         ArrayRef<TableTerm> terms,
                                         const IteratorTable &table,
                                         ScheduleOf schedule) {
  ContractGroup result;
  DenseMap<Value, Value> resultViews;
  for (unsigned number = 0; number < terms.size(); ++number) {
    SmallVector<IteratorRow> rows =
        llvm::filter_to_vector(table, [&](const IteratorRow &row) {
          return !row.contracted || row.term == number;
        });
    result.push_back(
        rebuild(rewriter, terms[number], rows, resultViews, schedule));
  }
  return result;
}

/// The op round a group: its tc.sum, or the contraction itself.
Operation *mlir::tc::getOuter(ArrayRef<ContractOp> ops) {
  ContractOp first = ops.front();
  auto sum = dyn_cast<SumOp>(first->getParentOp());
  return sum ? sum.getOperation() : first.getOperation();
}
