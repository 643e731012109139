//===- StrideTable.cpp - Editing contractions as tables -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/StrideTable.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// From contractions
//===----------------------------------------------------------------------===//

/// Sets the base and offset of a memref of dynamic layout; gives its strides.
static SmallVector<OpFoldResult> buildLayout(OpBuilder &builder, Location loc,
                                             Value memref, Access &operand) {
  operand.base = memref;
  operand.start = builder.getIndexAttr(0);
  if (auto view = memref.getDefiningOp<ViewOp>())
    return view.getMixedStrides();
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, memref);
  operand.base = metadata.getBaseBuffer();
  operand.start = metadata.getConstifiedMixedOffset();
  return metadata.getConstifiedMixedStrides();
}

static void buildValues(OpBuilder &builder, Location loc, Value memref,
                        AffineMap map, Access &operand) {
  auto type = cast<MemRefType>(memref.getType());
  // MLIR gives no strides for arrays without elements.
  if (llvm::is_contained(type.getShape(), 0) || hasStaticLayout(type)) {
    operand.base = memref;
    operand.start = builder.getIndexAttr(operand.offset);
    operand.values =
        getAsIndexOpFoldResult(builder.getContext(), operand.strides);
    return;
  }
  SmallVector<OpFoldResult> layout = buildLayout(builder, loc, memref, operand);
  SmallVector<SmallVector<Product>> terms(map.getNumDims());
  SmallVector<Product> offsets = {{operand.start, builder.getIndexAttr(1)}};
  for (auto [subscript, stride] : llvm::zip_equal(map.getResults(), layout)) {
    // There is one: subscripts of contractions are linear.
    LinearForm form = *linearForm(subscript, map.getNumDims());
    for (auto [i, factor] : llvm::enumerate(form.factors))
      if (factor != 0)
        terms[i].push_back({stride, builder.getIndexAttr(factor)});
    offsets.push_back(
        {stride, builder.getIndexAttr(*staticValue(form.constant))});
  }
  operand.start = buildSum(builder, loc, offsets);
  for (ArrayRef<Product> sum : terms)
    operand.values.push_back(buildSum(builder, loc, sum));
}

void mlir::tc::buildValues(OpBuilder &builder, ContractOp op,
                           StrideTable &table) {
  for (auto [memref, map, operand] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps(), table.columns()))
    ::buildValues(builder, op.getLoc(), memref, map, operand);
}

/// The row of `table` for row `i` of a term: a result iterator has one already
/// if an earlier term has it.
static unsigned getRow(StrideTable &table, const StrideTable &term,
                       unsigned i) {
  unsigned row = 0, rows = table.getNumIterators();
  while (row < rows && (term.contracted[i] || table.contracted[row] ||
                        table.names[row] != term.names[i]))
    ++row;
  if (row == rows) {
    table.extents.push_back(term.extents[i]);
    table.nominalExtents.push_back(term.nominalExtents[i]);
    table.extentValues.push_back(term.extentValues[i]);
    table.names.push_back(term.names[i]);
    table.contracted.push_back(term.contracted[i]);
    table.term.push_back(term.term[i]);
  }
  return row;
}

/// A column of `count` rows: `rows` have the entries of `operand`, others none.
static Access spread(const Access &operand, ArrayRef<unsigned> rows,
                     unsigned count) {
  Access wide = operand;
  wide.strides.assign(count, 0);
  wide.nominal.assign(count, 0);
  wide.values.assign(count, {});
  for (auto [i, row] : llvm::enumerate(rows)) {
    wide.strides[row] = operand.strides[i];
    wide.nominal[row] = operand.nominal[i];
    wide.values[row] = operand.values[i];
  }
  return wide;
}

FailureOr<StrideTable> mlir::tc::buildStrideTable(OpBuilder &builder,
                                                  ArrayRef<ContractOp> ops) {
  StrideTable table;
  std::vector<StrideTable> terms;
  std::vector<SmallVector<unsigned>> rows;
  for (auto [number, op] : llvm::enumerate(ops)) {
    FailureOr<StrideTable> own = getStrideTable(op);
    if (failed(own))
      return failure();
    buildValues(builder, op, *own);
    own->term.assign(own->getNumIterators(), number);
    rows.emplace_back();
    for (unsigned i = 0, e = own->getNumIterators(); i < e; ++i)
      rows.back().push_back(getRow(table, *own, i));
    terms.push_back(std::move(*own));
  }
  unsigned count = table.getNumIterators();
  for (auto [term, own] : llvm::zip_equal(terms, rows))
    for (auto list :
         {&StrideTable::inputs, &StrideTable::sides, &StrideTable::outputs})
      for (const Access &operand : term.*list)
        (table.*list).push_back(spread(operand, own, count));
  return table;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Calls `edit` on each list of `table` that has an entry for every row.
template <typename Edit>
static void editLists(StrideTable &table, Edit edit) {
  edit(table.extents);
  edit(table.nominalExtents);
  edit(table.extentValues);
  edit(table.names);
  edit(table.contracted);
  edit(table.term);
  for (Access &operand : table.columns()) {
    edit(operand.strides);
    edit(operand.nominal);
    edit(operand.values);
  }
}

StrideTable mlir::tc::selectRows(StrideTable table, ArrayRef<unsigned> rows) {
  editLists(table, [&](auto &list) {
    auto all = std::move(list);
    list.clear();
    for (unsigned i : rows)
      list.push_back(all[i]);
  });
  return table;
}

unsigned mlir::tc::copyRow(StrideTable &table, unsigned i) {
  editLists(table, [&](auto &list) { list.push_back(list[i]); });
  return table.getNumIterators() - 1;
}

void mlir::tc::setExtent(StrideTable &table, unsigned i, OpFoldResult extent) {
  table.extentValues[i] = extent;
  table.extents[i] = getStatic(extent);
  table.nominalExtents[i] =
      getConstantIntValue(extent).value_or(kNominalExtent);
}

void mlir::tc::scaleRow(OpBuilder &builder, Location loc, StrideTable &table,
                        unsigned i, OpFoldResult factor) {
  for (Access &operand : table.columns()) {
    if (!operand.variesWith(i))
      continue;
    OpFoldResult &value = operand.values[i];
    value = buildSum(builder, loc, Product{value, factor});
    operand.strides[i] = getStatic(value);
    operand.nominal[i] *= getConstantIntValue(factor).value_or(kNominalExtent);
  }
}

unsigned mlir::tc::splitRow(OpBuilder &builder, Location loc,
                            StrideTable &table, unsigned i, int64_t size,
                            std::string name) {
  unsigned inner = copyRow(table, i);
  table.names[inner] = std::move(name);
  setExtent(table, inner, builder.getIndexAttr(size));
  setExtent(
      table, i,
      affine::makeComposedFoldedAffineApply(
          builder, loc,
          AffineMap::get(1, 0, builder.getAffineDimExpr(0).floorDiv(size)),
          {table.extentValues[i]}));
  scaleRow(builder, loc, table, i, builder.getIndexAttr(size));
  return inner;
}

/// Does walking `outer` and `inner` reach what walking one iterator reaches?
static bool canMerge(const StrideTable &table, unsigned outer, unsigned inner) {
  int64_t size = table.extents[inner];
  if (outer == inner || table.contracted[outer] != table.contracted[inner] ||
      (table.contracted[outer] && table.term[outer] != table.term[inner]) ||
      size <= 0 || ShapedType::isDynamic(table.extents[outer]))
    return false;
  return llvm::all_of(table.columns(), [&](const Access &operand) {
    int64_t a = operand.strides[outer], b = operand.strides[inner];
    return !ShapedType::isDynamic(a) && !ShapedType::isDynamic(b) &&
           a == b * size;
  });
}

/// May rows `i` and `j` become one without a change of the order of terms?
static bool keepsOrder(const StrideTable &table, unsigned i, unsigned j) {
  if (!table.contracted[i])
    return true;
  // The next contracted row after i must be j.
  for (unsigned k = i + 1; k < table.getNumIterators(); ++k)
    if (table.contracted[k])
      return k == j;
  return false;
}

/// The first pair of rows that can be one: outer and inner.
static std::optional<std::pair<unsigned, unsigned>>
findPair(const StrideTable &table, bool inOrder) {
  for (unsigned i = 0, e = table.getNumIterators(); i < e; ++i)
    for (unsigned j = 0; j < e; ++j)
      if (canMerge(table, i, j) && (!inOrder || keepsOrder(table, i, j)))
        return std::pair(i, j);
  return std::nullopt;
}

void mlir::tc::mergeRows(Builder &builder, StrideTable &table, bool inOrder) {
  llvm::StringSet<> names;
  for (StringRef name : table.names)
    names.insert(name);
  while (auto pair = findPair(table, inOrder)) {
    auto [outer, inner] = *pair;
    std::string name = table.names[outer] + table.names[inner];
    while (!names.insert(name).second)
      name += '_';
    int64_t extent = table.extents[outer] * table.extents[inner];
    // The inner row, with its strides, goes to the place of the outer one.
    auto rows = llvm::to_vector(llvm::seq(table.getNumIterators()));
    rows[outer] = inner;
    rows.erase(rows.begin() + inner);
    table = selectRows(std::move(table), rows);
    unsigned merged = inner < outer ? outer - 1 : outer;
    table.names[merged] = name;
    setExtent(table, merged, builder.getIndexAttr(extent));
  }
}

//===----------------------------------------------------------------------===//
// To contractions
//===----------------------------------------------------------------------===//

SmallVector<StringRef> mlir::tc::getNames(const StrideTable &table) {
  return llvm::to_vector_of<StringRef>(table.names);
}

void mlir::tc::addView(OpBuilder &builder, Location loc,
                       const StrideTable &table, const Access &operand,
                       MappedArrays &arrays, bool isInput) {
  SmallVector<unsigned> dims;
  for (unsigned i = 0, e = table.getNumIterators(); i < e; ++i) {
    // An input that is not read at all may have no element to view.
    bool isEmpty = isInput && table.contracted[i] && table.extents[i] == 0;
    if (operand.variesWith(i) || isEmpty)
      dims.push_back(i);
  }
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return operand.getDistance(a) > operand.getDistance(b);
  });
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned i : dims) {
    sizes.push_back(table.extentValues[i]);
    strides.push_back(operand.values[i]);
  }
  arrays.add(builder.createOrFold<ViewOp>(loc, operand.base, operand.start,
                                          sizes, strides),
             AffineMap::getMultiDimMapWithTargets(table.getNumIterators(), dims,
                                                  builder.getContext()));
}

ContractGroup mlir::tc::rebuildFromTable(
    RewriterBase &rewriter, ArrayRef<ContractOp> ops, const StrideTable &table,
    function_ref<ScheduleAttr(unsigned, ArrayRef<StringRef>)> schedule) {
  ContractGroup result;
  // Views of results are the same for all terms where their operands are, so
  // that a tc.sum keeps one result.
  DenseMap<Value, Value> resultViews;
  size_t inputs = 0, sides = 0, outputs = 0;
  for (unsigned number = 0; number < ops.size(); ++number) {
    ContractOp op = ops[number];
    Location loc = op.getLoc();
    StrideTable own = selectRows(
        table, llvm::filter_to_vector(
                   llvm::seq(table.getNumIterators()), [&](unsigned i) {
                     return !table.contracted[i] || table.term[i] == number;
                   }));
    ContractArrays arrays;
    for (size_t e = inputs + op.getInputs().size(); inputs < e; ++inputs)
      addView(rewriter, loc, own, own.inputs[inputs], arrays.inputs,
              /*isInput=*/true);
    for (size_t e = sides + op.getSides().size(); sides < e; ++sides)
      addView(rewriter, loc, own, own.sides[sides], arrays.sides,
              /*isInput=*/false);
    for (Value output : op.getOutputs()) {
      addView(rewriter, loc, own, own.outputs[outputs++], arrays.outputs,
              /*isInput=*/false);
      Value &view = arrays.outputs.values.back();
      Value shared = resultViews.try_emplace(output, view).first->second;
      if (shared != view && view.use_empty() && view.getDefiningOp<ViewOp>())
        rewriter.eraseOp(view.getDefiningOp());
      view = shared;
    }
    SmallVector<StringRef> names = getNames(own);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(op);
    auto rebuilt =
        ContractOp::create(rewriter, loc, names, own.extentValues, arrays,
                           op.getOverwrite(), schedule(number, names));
    rebuilt.takeMeaning(op);
    rewriter.replaceOp(op, rebuilt);
    result.push_back(rebuilt);
  }
  return result;
}

Operation *mlir::tc::getOuter(ArrayRef<ContractOp> ops) {
  ContractOp first = ops.front();
  auto sum = dyn_cast<SumOp>(first->getParentOp());
  return sum ? sum.getOperation() : first.getOperation();
}
