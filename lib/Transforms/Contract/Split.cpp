//===- Split.cpp - Parts of a sum, each with its blocks -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part is a result of its own: an iterator that counts the parts joins the
// result iterators. What comes out is contractions like any other, so nothing
// below this pass knows of parts.
//
//===----------------------------------------------------------------------===//

#include "Contract/Split.h"

#include "Contract/Alignment.h"
#include "Contract/IndexBuilder.h"
#include "Contract/IteratorTable.h"
#include "Contract/Tiler.h"

#include "tc/Analysis/Split.h"
#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SPLIT
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

using Rows = SmallVector<IteratorRow>;

namespace {
/// Builds what replaces one contraction.
class Splitter {
public:
  Splitter(OpBuilder &builder, const TableTerm &term);

  /// The contraction of the parts.
  ContractOp buildParts();
  /// What combines them, with what is left over.
  ContractGroup buildCombination();
  void buildDeallocs();

private:
  int64_t getParts(const IteratorRow &row) {
    ScheduleAttr schedule = op.getScheduleAttr();
    return schedule ? schedule.getSplit(row.name) : 1;
  }
  OpFoldResult getPartExtent(const IteratorRow &row);
  bool mayLeaveRest(const IteratorRow &row);
  IteratorRow makePartRow(const IteratorRow &row);
  void layOutBuffers();
  void addView(ArrayRef<IteratorRow> rows, unsigned column, const Reach &reach,
               MappedArrays &arrays);
  AffineMap translate(AffineMap map, ArrayRef<IteratorRow> rows);
  ContractOp buildTerm(ArrayRef<IteratorRow> rows, const MappedArrays &inputs,
                       bool isFirst, bool isLast);
  ContractOp buildPartsTerm(bool isLast);
  ContractOp buildRestTerm(const IteratorRow &left, bool isLast);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  ArrayRef<Reach> reaches;
  /// The rows of `op`, of the parts, and of the results. Columns are the
  /// operands of `op`, and the last one the buffers.
  Rows table, partRows, resultRows;
  unsigned bufferColumn;
  SmallVector<Value> buffers;
};
} // namespace

static int64_t getStatic(OpFoldResult value) {
  return getConstantIntValue(value).value_or(ShapedType::kDynamic);
}

Splitter::Splitter(OpBuilder &builder, const TableTerm &term)
    : builder(builder), op(term.op), loc(op.getLoc()), reaches(term.reaches),
      table(getIteratorTable(term)), bufferColumn(reaches.size()) {
  for (IteratorRow &row : table) {
    row.strides.push_back({0, 0, builder.getIndexAttr(0)});
    if (!row.contracted)
      resultRows.push_back(row);
    else if (getParts(row) > 1)
      partRows.push_back(makePartRow(row));
  }
  layOutBuffers();
}

/// The least extent that gives each part a step; saturating.
static int64_t getLeastExtent(int64_t parts, int64_t step) {
  int64_t least;
  return llvm::MulOverflow(parts, step, least)
             ? std::numeric_limits<int64_t>::max()
             : least;
}

OpFoldResult Splitter::getPartExtent(const IteratorRow &row) {
  int64_t parts = getParts(row);
  if (parts == 1)
    return row.extent;
  int64_t step = op.getScheduleAttr().getStep(row.name);
  if (!ShapedType::isDynamic(row.staticExtent))
    return builder.getIndexAttr(
        getPartExtents(row.staticExtent, parts, step).part);
  AffineExpr extent = builder.getAffineDimExpr(0);
  return affine::makeComposedFoldedAffineApply(
      builder, loc,
      AffineMap::get(1, 0, extent.floorDiv(getLeastExtent(parts, step)) * step),
      {row.extent});
}

bool Splitter::mayLeaveRest(const IteratorRow &row) {
  int64_t parts = getParts(row);
  return parts > 1 && getPartExtents(row.staticExtent, parts,
                                     op.getScheduleAttr().getStep(row.name))
                              .rest != 0;
}

/// The iterator that counts the parts of `row`. Operands reach a part after the
/// other.
IteratorRow Splitter::makePartRow(const IteratorRow &row) {
  IteratorRow parts = row;
  do
    parts.name += "_p";
  while (op.findIterator(parts.name));
  parts.staticExtent = getParts(row);
  parts.extent = builder.getIndexAttr(parts.staticExtent);
  parts.contracted = false;
  OpFoldResult length = getPartExtent(row);
  for (auto &[stride, nominal, value] : parts.strides) {
    if (stride == 0)
      continue;
    value = buildSum(builder, loc, Product{value, length});
    stride = getStatic(value);
    nominal *= getConstantIntValue(length).value_or(kNominalExtent);
  }
  return parts;
}

/// One buffer for each accumulator: a part after the other, each in the order
/// in which the first result lies.
void Splitter::layOutBuffers() {
  SmallVector<IteratorRow *> order;
  for (IteratorRow &row : resultRows)
    order.push_back(&row);
  unsigned output = reaches.size() - op.getOutputs().size();
  llvm::stable_sort(order, [&](IteratorRow *a, IteratorRow *b) {
    return std::abs(a->strides[output].nominal) <
           std::abs(b->strides[output].nominal);
  });
  for (IteratorRow &row : llvm::reverse(partRows))
    order.push_back(&row);
  OpFoldResult elements = builder.getIndexAttr(1);
  int64_t estimate = 1;
  for (IteratorRow *row : order) {
    row->strides[bufferColumn] = {getStatic(elements), estimate, elements};
    elements = buildSum(builder, loc, Product{elements, row->extent});
    estimate *= ShapedType::isDynamic(row->staticExtent) ? kNominalExtent
                                                         : row->staticExtent;
  }
  for (Type type : op.getAccumulatorTypes()) {
    SmallVector<Value, 1> size;
    if (auto count = dyn_cast<Value>(elements))
      size.push_back(count);
    buffers.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({getStatic(elements)}, type), size,
        builder.getI64IntegerAttr(kMaxAccessBytes)));
  }
}

void Splitter::addView(ArrayRef<IteratorRow> rows, unsigned column,
                       const Reach &reach, MappedArrays &arrays) {
  auto [view, map] =
      buildRowsView(builder, loc, reach, rows, column, /*isInput=*/true);
  arrays.add(view, map);
}

ContractOp Splitter::buildParts() {
  Rows rows = partRows;
  llvm::append_range(rows, resultRows);
  for (IteratorRow row : table) {
    row.extent = getPartExtent(row);
    row.staticExtent = getStatic(row.extent);
    if (row.contracted && row.staticExtent != 1)
      rows.push_back(row);
  }
  ContractArrays arrays;
  for (unsigned k = 0, e = op.getInputs().size(); k < e; ++k)
    addView(rows, k, reaches[k], arrays.inputs);
  for (Value buffer : buffers)
    addView(rows, bufferColumn, {buffer, builder.getIndexAttr(0), {}},
            arrays.outputs);
  SmallVector<StringRef> names = getNames(rows);
  ScheduleAttr schedule = op.getScheduleAttr();
  if (schedule)
    schedule = schedule.dropSplit().keepOnly(names);
  auto parts = ContractOp::create(builder, loc, names, getExtents(rows), arrays,
                                  /*overwrite=*/true, schedule);
  cloneTerms(op, parts);
  parts->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return parts;
}

/// The map of an operand of `op`, over other rows.
AffineMap Splitter::translate(AffineMap map, ArrayRef<IteratorRow> rows) {
  SmallVector<StringRef> names = getNames(rows);
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    dims.push_back(builder.getAffineDimExpr(
        llvm::find(names, op.getIterator(i)) - names.begin()));
  return map.replaceDimsAndSymbols(dims, {}, rows.size(), 0);
}

/// A contraction into the results of `op`: the first one overwrites them if
/// `op` does, the last one stores them.
ContractOp Splitter::buildTerm(ArrayRef<IteratorRow> rows,
                               const MappedArrays &inputs, bool isFirst,
                               bool isLast) {
  ContractArrays arrays = op.getArrays();
  arrays.inputs = inputs;
  if (!isLast)
    arrays.sides = {};
  for (MappedArrays *group : {&arrays.sides, &arrays.outputs})
    for (AffineMap &map : group->maps)
      map = translate(map, rows);
  auto term = ContractOp::create(builder, loc, getNames(rows), getExtents(rows),
                                 arrays, isFirst && op.getOverwrite());
  if (isLast)
    cloneEpilogue(op, term);
  term->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return term;
}

/// Takes the parts as they are.
ContractOp Splitter::buildPartsTerm(bool isLast) {
  Rows rows = resultRows;
  for (IteratorRow row : partRows) {
    row.contracted = true;
    rows.push_back(row);
  }
  MappedArrays inputs;
  for (Value buffer : buffers)
    addView(rows, bufferColumn, {buffer, builder.getIndexAttr(0), {}}, inputs);
  ContractOp term = buildTerm(rows, inputs, /*isFirst=*/true, isLast);
  cloneCombine(op, term);
  takeAccumulators(builder, op, term);
  return term;
}

/// What is left over along the iterator of `left`: those before it are within
/// the parts, those after it are whole.
ContractOp Splitter::buildRestTerm(const IteratorRow &left, bool isLast) {
  Rows rows = table;
  OpFoldResult start;
  for (IteratorRow &row : rows) {
    OpFoldResult covered =
        buildProduct(builder, loc, getPartExtent(row), getParts(row));
    bool isLeft = row.name == left.name;
    if (isLeft)
      start = covered;
    row.extent =
        isLeft ? buildDifference(builder, loc, row.extent, covered) : covered;
    row.staticExtent = getStatic(row.extent);
    if (isLeft)
      break;
  }
  MappedArrays inputs;
  for (unsigned k = 0, e = op.getInputs().size(); k < e; ++k) {
    Reach reach = reaches[k];
    reach.offset = buildSum(builder, loc,
                            {{reach.offset, builder.getIndexAttr(1)},
                             {left.strides[k].value, start}});
    addView(rows, k, reach, inputs);
  }
  ContractOp term = buildTerm(rows, inputs, /*isFirst=*/false, isLast);
  cloneTerms(op, term);
  return term;
}

ContractGroup Splitter::buildCombination() {
  Rows left = llvm::filter_to_vector(
      table, [&](const IteratorRow &row) { return mayLeaveRest(row); });
  ContractGroup terms = {buildPartsTerm(/*isLast=*/left.empty())};
  for (const IteratorRow &row : left)
    terms.push_back(buildRestTerm(row, row.name == left.back().name));
  if (left.empty())
    return terms;
  auto sum = SumOp::create(builder, loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&sum.getBody());
  for (ContractOp term : terms)
    term->moveBefore(body, body->end());
  return terms;
}

void Splitter::buildDeallocs() {
  for (Value buffer : buffers)
    memref::DeallocOp::create(builder, loc, buffer);
}

/// Has each part a step? Null where that is known.
static Value buildHasSteps(OpBuilder &builder, ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  Value condition;
  for (const Factor &factor : op.getScheduleAttr().getSplit()) {
    StringRef name = factor.iterator.getValue();
    auto extent = dyn_cast<Value>(op.getMixedExtents()[*op.findIterator(name)]);
    if (!extent)
      continue;
    Value isLong = math.isAtLeast(
        extent,
        getLeastExtent(factor.value, op.getScheduleAttr().getStep(name)));
    condition = condition ? math.both(condition, isLong) : isLong;
  }
  return condition;
}

FailureOr<ContractParts> mlir::tc::splitIntoBuffers(RewriterBase &rewriter,
                                                    ContractOp op) {
  FailureOr<std::vector<TableTerm>> terms = getTableTerms(rewriter, op);
  if (failed(terms))
    return failure();
  Splitter splitter(rewriter, terms->front());
  ContractParts parts{splitter.buildParts(), splitter.buildCombination()};
  splitter.buildDeallocs();
  rewriter.eraseOp(op);
  return parts;
}

FailureOr<SmallVector<ContractGroup>> mlir::tc::split(RewriterBase &rewriter,
                                                      ContractGroup ops,
                                                      MachineAttr machine) {
  ContractOp op = ops.front();
  if (!isSplit(op.getScheduleAttr()))
    return SmallVector<ContractGroup>{ops};
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<ContractGroup> groups;
  if (Value condition = buildHasSteps(rewriter, op)) {
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder otherwise = branch.getElseBodyBuilder();
    auto whole = cast<ContractOp>(otherwise.clone(*op));
    whole.setScheduleAttr(op.getScheduleAttr().dropSplit());
    groups.push_back({whole});
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  FailureOr<ContractParts> buffered = splitIntoBuffers(rewriter, op);
  if (failed(buffered))
    return failure();
  groups.push_back({buffered->intoBuffers});
  FailureOr<ContractGroup> normal = normalize(rewriter, buffered->fromBuffers);
  if (failed(normal) || failed(schedule(*normal, machine)))
    return failure();
  // The parts may be many, too.
  FailureOr<SmallVector<ContractGroup>> combining =
      split(rewriter, *normal, machine);
  if (failed(combining))
    return failure();
  llvm::append_range(groups, *combining);
  return groups;
}

namespace {
struct SplitPass : tc::impl::SplitBase<SplitPass> {
  using SplitBase::SplitBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (ops.front().getSchedule() && isNormal(ops.front()) &&
          failed(split(rewriter, ops, *machine)))
        return signalPassFailure();
  }
};
} // namespace
