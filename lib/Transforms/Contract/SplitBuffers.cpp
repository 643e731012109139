//===- SplitBuffers.cpp - A sum that goes through memory in parts ---------===//
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

#include "Contract/StrideTable.h"
#include "Contract/Tiler.h"

#include "tc/Analysis/Split.h"
#include "tc/IR/IndexBuilder.h"
#include "tc/Target/Limits.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Builds what replaces one contraction.
class Splitter {
public:
  Splitter(OpBuilder &builder, ContractOp op, StrideTable all,
           ArrayRef<Division> divisions);

  /// The contraction of the parts.
  ContractOp buildParts();
  /// What combines them, with what is left over.
  ContractGroup buildCombination();
  void buildDeallocs();

private:
  void addPartRow(unsigned i);
  void layOutBuffers();
  MappedArrays viewInputs(const StrideTable &rows);
  MappedArrays viewBuffers(const StrideTable &rows);
  AffineMap translate(AffineMap map, const StrideTable &rows);
  ContractOp buildTerm(const StrideTable &rows, const MappedArrays &inputs,
                       bool isFirst, bool isLast);
  ContractOp buildPartsTerm(bool isLast);
  ContractOp buildRestTerm(unsigned left, bool isLast);

  OpBuilder &builder;
  ContractOp op;
  Location loc;
  /// The rows of `op`, then one for each iterator that counts parts. The only
  /// output is the buffers, which all lie alike.
  StrideTable table;
  /// How each of its iterators is divided.
  SmallVector<Division> divisions;
  SmallVector<unsigned> results, parts;
  SmallVector<Value> buffers;
};
} // namespace

/// The parts of `extent`: at most as many as `most`, of as few whole steps as
/// that allows.
static Division divide(IndexBuilder &math, OpFoldResult extent,
                       OpFoldResult most, int64_t step) {
  Value whole = math.get(extent);
  Value stepsOfAll = math.multiply(math.get(most), step);
  Value steps = math.createOrFold<arith::MaxSIOp>(
      math.createOrFold<arith::CeilDivSIOp>(whole, stepsOfAll),
      math.constant(1));
  OpFoldResult length = math.apply(math.d0() * step, steps);
  Value count = math.createOrFold<arith::DivSIOp>(whole, math.get(length));
  return {getAsOpFoldResult(count), length, /*mayLeaveRest=*/true};
}

SmallVector<Division> mlir::tc::divideByExtents(OpBuilder &builder,
                                                ContractOp op,
                                                OpFoldResult mostOfAll) {
  IndexBuilder math(op.getLoc(), builder);
  ScheduleAttr schedule = op.getScheduleAttr();
  SmallVector<Division> divisions;
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents())) {
    StringRef name = op.getIterator(i);
    int64_t parts = schedule ? schedule.getSplit(name) : 1;
    std::optional<int64_t> known = getConstantIntValue(extent);
    if (parts == 1) {
      divisions.push_back({builder.getIndexAttr(1), extent, false});
    } else if (known && !mostOfAll) {
      PartExtents found = getPartExtents(*known, parts, schedule.getStep(name));
      divisions.push_back({builder.getIndexAttr(parts),
                           builder.getIndexAttr(found.part), found.rest != 0});
    } else {
      OpFoldResult most = mostOfAll ? mostOfAll : builder.getIndexAttr(parts);
      divisions.push_back(divide(math, extent, most, schedule.getStep(name)));
    }
  }
  return divisions;
}

Splitter::Splitter(OpBuilder &builder, ContractOp op, StrideTable all,
                   ArrayRef<Division> divisions)
    : builder(builder), op(op), loc(op.getLoc()), table(std::move(all)),
      divisions(divisions) {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (!op.isContracted(i))
      results.push_back(i);
    else if (divisions[i].isDivided())
      addPartRow(i);
  layOutBuffers();
}

/// Adds the iterator that counts the parts of `i`. Operands reach a part after
/// the other.
void Splitter::addPartRow(unsigned i) {
  unsigned part = copyRow(table, i);
  parts.push_back(part);
  do
    table.names[part] += "_p";
  while (op.findIterator(table.names[part]));
  setExtent(table, part, divisions[i].count);
  table.contracted[part] = false;
  scaleRow(builder, loc, table, part, divisions[i].length);
}

/// One buffer for each accumulator: a part after the other, each in the order
/// in which the first result lies.
void Splitter::layOutBuffers() {
  SmallVector<unsigned> order = results;
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return table.output().getDistance(a) < table.output().getDistance(b);
  });
  llvm::append_range(order, llvm::reverse(parts));
  unsigned rows = table.getNumIterators();
  Access buffer;
  buffer.start = builder.getIndexAttr(0);
  buffer.strides.assign(rows, 0);
  buffer.nominal.assign(rows, 0);
  buffer.values.assign(rows, buffer.start);
  OpFoldResult elements = builder.getIndexAttr(1);
  int64_t estimate = 1;
  for (unsigned i : order) {
    buffer.strides[i] = getStatic(elements);
    buffer.nominal[i] = estimate;
    buffer.values[i] = elements;
    elements = buildSum(builder, loc, Product{elements, table.extentValues[i]});
    estimate *= table.nominalExtents[i];
  }
  table.outputs = {buffer};
  for (Type type : op.getAccumulatorTypes()) {
    SmallVector<Value, 1> size;
    if (auto count = dyn_cast<Value>(elements))
      size.push_back(count);
    buffers.push_back(memref::AllocOp::create(
        builder, loc, MemRefType::get({getStatic(elements)}, type), size,
        builder.getI64IntegerAttr(kMaxAccessBytes)));
  }
}

/// Views of the inputs of `op`, and of the buffers, over `rows` of the table.
MappedArrays Splitter::viewInputs(const StrideTable &rows) {
  MappedArrays views;
  for (const Access &input : rows.inputs)
    addView(builder, loc, rows, input, views, /*isInput=*/true);
  return views;
}

MappedArrays Splitter::viewBuffers(const StrideTable &rows) {
  MappedArrays views;
  Access operand = rows.output();
  for (Value buffer : buffers) {
    operand.base = buffer;
    addView(builder, loc, rows, operand, views, /*isInput=*/false);
  }
  return views;
}

ContractOp Splitter::buildParts() {
  StrideTable all = table;
  SmallVector<unsigned> order = parts;
  llvm::append_range(order, results);
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    if (!table.contracted[i])
      continue;
    setExtent(all, i, divisions[i].length);
    if (all.extents[i] != 1)
      order.push_back(i);
  }
  StrideTable rows = selectRows(all, order);
  ContractArrays arrays;
  arrays.inputs = viewInputs(rows);
  arrays.outputs = viewBuffers(rows);
  SmallVector<StringRef> names = getNames(rows);
  ScheduleAttr schedule = op.getScheduleAttr();
  if (schedule)
    schedule = schedule.dropSplit().keepOnly(names);
  auto parts = ContractOp::create(builder, loc, names, rows.extentValues,
                                  arrays, /*overwrite=*/true, schedule);
  cloneTerms(op, parts);
  parts->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return parts;
}

/// The map of an operand of `op`, over other rows.
AffineMap Splitter::translate(AffineMap map, const StrideTable &rows) {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    dims.push_back(builder.getAffineDimExpr(
        llvm::find(rows.names, op.getIterator(i)) - rows.names.begin()));
  return map.replaceDimsAndSymbols(dims, {}, rows.getNumIterators(), 0);
}

/// A contraction into the results of `op`: the first one overwrites them if
/// `op` does, the last one stores them.
ContractOp Splitter::buildTerm(const StrideTable &rows,
                               const MappedArrays &inputs, bool isFirst,
                               bool isLast) {
  ContractArrays arrays = op.getArrays();
  arrays.inputs = inputs;
  if (!isLast)
    arrays.sides = {};
  for (MappedArrays *group : {&arrays.sides, &arrays.outputs})
    for (AffineMap &map : group->maps)
      map = translate(map, rows);
  auto term =
      ContractOp::create(builder, loc, getNames(rows), rows.extentValues,
                         arrays, isFirst && op.getOverwrite());
  if (isLast)
    cloneEpilogue(op, term);
  term->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return term;
}

/// Takes the parts as they are.
ContractOp Splitter::buildPartsTerm(bool isLast) {
  SmallVector<unsigned> order = results;
  llvm::append_range(order, parts);
  StrideTable rows = selectRows(table, order);
  for (unsigned i = results.size(); i < order.size(); ++i)
    rows.contracted[i] = true;
  ContractOp term =
      buildTerm(rows, viewBuffers(rows), /*isFirst=*/true, isLast);
  cloneCombine(op, term);
  takeAccumulators(builder, op, term);
  return term;
}

/// What is left over along iterator `left`: those before it are within the
/// parts, those after it are whole.
ContractOp Splitter::buildRestTerm(unsigned left, bool isLast) {
  StrideTable rows =
      selectRows(table, llvm::to_vector(llvm::seq(op.getNumIterators())));
  for (unsigned i = 0; i <= left; ++i) {
    OpFoldResult covered = buildSum(
        builder, loc, Product{divisions[i].length, divisions[i].count});
    if (i < left) {
      setExtent(rows, i, covered);
      continue;
    }
    setExtent(rows, i,
              buildDifference(builder, loc, rows.extentValues[i], covered));
    for (Access &input : rows.inputs)
      input.start = buildSum(
          builder, loc,
          {{input.start, builder.getIndexAttr(1)}, {input.values[i], covered}});
  }
  ContractOp term =
      buildTerm(rows, viewInputs(rows), /*isFirst=*/false, isLast);
  cloneTerms(op, term);
  return term;
}

ContractGroup Splitter::buildCombination() {
  SmallVector<unsigned> left =
      llvm::filter_to_vector(llvm::seq(op.getNumIterators()), [&](unsigned i) {
        return op.isContracted(i) && divisions[i].mayLeaveRest;
      });
  ContractGroup terms = {buildPartsTerm(/*isLast=*/left.empty())};
  for (unsigned i : left)
    terms.push_back(buildRestTerm(i, i == left.back()));
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

FailureOr<ContractParts>
mlir::tc::splitIntoBuffers(RewriterBase &rewriter, ContractOp op,
                           ArrayRef<Division> divisions) {
  FailureOr<StrideTable> table = buildStrideTable(rewriter, op);
  if (failed(table))
    return failure();
  Splitter splitter(rewriter, op, std::move(*table), divisions);
  ContractParts parts{splitter.buildParts(), splitter.buildCombination()};
  splitter.buildDeallocs();
  rewriter.eraseOp(op);
  return parts;
}
