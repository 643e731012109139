//===- FuseRewrites.cpp - Two contractions into one -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph/Fuse.h"

#include "tc/IR/Scalars.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// A map or epilogue in the making.
struct Code {
  Region region;
  SmallVector<Value> arguments;
};
} // namespace

/// Opens `code` with arguments of `types`, and moves the builder there.
static void open(OpBuilder &builder, Location loc, ArrayRef<Type> types,
                 Code &code) {
  SmallVector<Location> locations(types.size(), loc);
  Block *block = builder.createBlock(&code.region, {}, types, locations);
  llvm::append_range(code.arguments, block->getArguments());
}

static void appendElements(SmallVectorImpl<Type> &types, ValueRange operands) {
  for (Value operand : operands)
    types.push_back(cast<ShapedType>(operand.getType()).getElementType());
}

/// `op` with other operands: regions are those of `op`, apart from `map` and
/// `epilogue` where they are given.
static ContractOp rebuild(RewriterBase &rewriter, ContractOp op,
                          const ContractArrays &arrays, bool overwrite,
                          Code *map, Code *epilogue) {
  SmallVector<Type> accumulators = op.getAccumulatorTypes();
  auto names = llvm::to_vector(op.getIterators().getAsValueRange<StringAttr>());
  auto result =
      ContractOp::create(rewriter, op.getLoc(), names, op.getMixedExtents(),
                         arrays, overwrite, op.getScheduleAttr());
  result.takeMeaning(op);
  if (map)
    result.getMap().takeBody(map->region);
  if (epilogue)
    result.getEpilogue().takeBody(epilogue->region);
  result.removeAccumulatorAttr();
  if (!result.isMultiplyAdd())
    result.removePrecisionAttr();
  if (result.isMultiplyAdd() &&
      accumulators.front() != getDefaultAccumulator(result.getElementType()))
    result.setAccumulatorAttr(TypeAttr::get(accumulators.front()));
  return result;
}

/// What an op in place of two writes over, where the second writes over all of
/// `output`: what the first did, if `output` is a result of it.
static Value getDestination(Value output, ContractOp first) {
  std::optional<unsigned> result = findResult(first, output);
  return result ? first.getOutput(*result) : output;
}

/// The results of `op`: its sums, after the `old` ones, if it adds to these.
static SmallVector<Value> buildResults(OpBuilder &builder, Location loc,
                                       ContractOp op, ValueRange sums,
                                       ValueRange sides, ValueRange old) {
  SmallVector<Value> all(sums);
  if (!op.getOverwrite())
    all = op.buildCombine(builder, loc, op.buildOld(builder, loc, old), sums);
  return op.buildEpilogue(builder, loc, all, sides);
}

/// What pointwise `op` computes from elements of its inputs and sides, and the
/// `old` one, if it adds to that.
static Value buildElement(OpBuilder &builder, ContractOp op, ValueRange inputs,
                          ValueRange sides, ValueRange old = {}) {
  Location loc = op.getLoc();
  return buildResults(builder, loc, op, op.buildMap(builder, loc, inputs),
                      sides, old)
      .front();
}

//===----------------------------------------------------------------------===//
// Producers
//===----------------------------------------------------------------------===//

/// The map from points of a reader to subscripts of the producer's operand:
/// `map` over the producer's iterators, which `read` has at the places where
/// `written` names them.
static AffineMap composeRead(AffineMap map, AffineMap written, AffineMap read) {
  SmallVector<AffineExpr> iterators(map.getNumDims());
  for (auto [subscript, expr] :
       llvm::zip_equal(written.getResults(), read.getResults()))
    iterators[cast<AffineDimExpr>(subscript).getPosition()] = expr;
  return map.replaceDimsAndSymbols(iterators, {}, read.getNumDims(), 0);
}

ContractArrays mlir::tc::getProducerArrays(ContractOp op, unsigned i,
                                           ContractOp producer) {
  ContractArrays arrays = op.getArrays(), added = producer.getArrays();
  for (auto [k, value] : llvm::enumerate(arrays.outputs.values))
    if (replacesResult(op, k))
      value = getDestination(value, producer);
  // The producer's operands come last, and the one it computed goes away.
  unsigned numInputs = arrays.inputs.size();
  bool isInput = i < numInputs;
  unsigned place = isInput ? i : i - numInputs;
  MappedArrays &readers = isInput ? arrays.inputs : arrays.sides;
  AffineMap read = readers.maps[place];
  readers.values.erase(readers.values.begin() + place);
  readers.maps.erase(readers.maps.begin() + place);
  for (const MappedArrays &group : {added.inputs, added.sides})
    for (auto [value, map] : llvm::zip_equal(group.values, group.maps))
      readers.add(value, composeRead(map, producer.getOutputMap(), read));
  return arrays;
}

ContractOp mlir::tc::fuseProducer(RewriterBase &rewriter, ContractOp op,
                                  unsigned i, ContractOp producer) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = op.getLoc();
  unsigned numInputs = op.getInputs().size();
  bool isInput = i < numInputs;
  unsigned place = isInput ? i : i - numInputs;
  ContractArrays arrays = getProducerArrays(op, i, producer);
  ArrayRef<Value> readers = (isInput ? arrays.inputs : arrays.sides).values;
  unsigned fromInputs = producer.getInputs().size();
  unsigned kept = readers.size() - fromInputs - producer.getSides().size();

  Code code;
  SmallVector<Type> types;
  if (!isInput)
    types = op.getAccumulatorTypes();
  unsigned accumulators = types.size();
  appendElements(types, readers);
  open(rewriter, loc, types, code);
  ArrayRef<Value> elements = ArrayRef(code.arguments).drop_front(accumulators);
  Value element =
      buildElement(rewriter, producer, elements.slice(kept, fromInputs),
                   elements.drop_front(kept + fromInputs));
  SmallVector<Value> operands(elements.take_front(kept));
  operands.insert(operands.begin() + place, element);
  YieldOp::create(
      rewriter, loc,
      isInput
          ? op.buildMap(rewriter, loc, operands)
          : op.buildEpilogue(rewriter, loc,
                             ArrayRef(code.arguments).take_front(accumulators),
                             operands));
  rewriter.setInsertionPoint(op);
  return rebuild(rewriter, op, arrays, op.getOverwrite(),
                 isInput ? &code : nullptr, isInput ? nullptr : &code);
}

//===----------------------------------------------------------------------===//
// Consumers
//===----------------------------------------------------------------------===//

ContractOp mlir::tc::readOldAsSides(RewriterBase &rewriter, ContractOp op) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = op.getLoc();
  ContractArrays arrays = op.getArrays();
  unsigned ownSides = arrays.sides.size();
  arrays.sides.append(arrays.outputs);
  Code code;
  SmallVector<Type> types = op.getAccumulatorTypes();
  unsigned numAccumulators = types.size();
  appendElements(types, arrays.sides.values);
  open(rewriter, loc, types, code);
  ArrayRef<Value> sums = ArrayRef(code.arguments).take_front(numAccumulators),
                  sides = ArrayRef(code.arguments).drop_front(numAccumulators);
  YieldOp::create(rewriter, loc,
                  buildResults(rewriter, loc, op, sums,
                               sides.take_front(ownSides),
                               sides.drop_front(ownSides)));
  rewriter.setInsertionPoint(op);
  return rebuild(rewriter, op, arrays, /*overwrite=*/true, /*map=*/nullptr,
                 &code);
}

/// The old results of `op`, which it reads; none if it overwrites them.
static MappedArrays getOld(ContractOp op) {
  return op.getOverwrite() ? MappedArrays() : op.getArrays().outputs;
}

ContractArrays mlir::tc::getConsumerArrays(ContractOp contract,
                                           ContractOp consumer) {
  SmallVector<AffineExpr> points = *findPoints(contract, consumer);
  auto place = [&](AffineMap map) {
    return map.replaceDimsAndSymbols(points, {}, contract.getNumIterators(), 0);
  };
  ContractArrays arrays = contract.getArrays(), added = consumer.getArrays();
  arrays.sides.append(getOld(contract));
  for (const MappedArrays &group :
       {added.inputs, added.sides, getOld(consumer)})
    for (auto [value, map] : llvm::zip_equal(group.values, group.maps))
      if (!findResult(contract, value))
        arrays.sides.add(value, place(map));
  arrays.outputs = {{getDestination(consumer.getOutput(), contract)},
                    {place(consumer.getOutputMap())}};
  return arrays;
}

ContractOp mlir::tc::fuseConsumer(RewriterBase &rewriter, ContractOp contract,
                                  ContractOp consumer) {
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = consumer.getLoc();
  ContractArrays arrays = getConsumerArrays(contract, consumer);

  Code code;
  SmallVector<Type> types = contract.getAccumulatorTypes();
  unsigned numAccumulators = types.size();
  appendElements(types, arrays.sides.values);
  open(rewriter, loc, types, code);
  ArrayRef<Value> elements = code.arguments;
  auto take = [&](size_t count) {
    ArrayRef<Value> first = elements.take_front(count);
    elements = elements.drop_front(count);
    return first;
  };
  ArrayRef<Value> sums = take(numAccumulators),
                  ownSides = take(contract.getSides().size()),
                  ownOld = take(getOld(contract).size());
  SmallVector<Value> results =
      buildResults(rewriter, loc, contract, sums, ownSides, ownOld);
  SmallVector<Value> operands;
  for (Value input : consumer.getInputs()) {
    std::optional<unsigned> result = findResult(contract, input);
    operands.push_back(result ? results[*result] : take(1).front());
  }
  ArrayRef<Value> sides = take(consumer.getSides().size());
  ArrayRef<Value> old = take(getOld(consumer).size());
  YieldOp::create(rewriter, loc,
                  buildElement(rewriter, consumer, operands, sides, old));
  rewriter.setInsertionPoint(consumer);
  return rebuild(rewriter, contract, arrays, /*overwrite=*/true,
                 /*map=*/nullptr, &code);
}
