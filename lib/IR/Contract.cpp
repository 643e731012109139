//===- Contract.cpp - tc.contract: building and questions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/Factors.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"
#include "tc/Target/Limits.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

void ContractOp::build(OpBuilder &builder, OperationState &state,
                       ArrayRef<StringRef> iterators,
                       ArrayRef<OpFoldResult> extents, ValueRange inputs,
                       Value output, ArrayRef<AffineMap> maps, bool overwrite,
                       ScheduleAttr schedule) {
  build(builder, state, iterators, extents, inputs, /*sides=*/ValueRange(),
        output, maps, overwrite, schedule);
}

void ContractOp::build(OpBuilder &builder, OperationState &state,
                       ArrayRef<StringRef> iterators,
                       ArrayRef<OpFoldResult> extents, ValueRange inputs,
                       ValueRange sides, ValueRange outputs,
                       ArrayRef<AffineMap> maps, bool overwrite,
                       ScheduleAttr schedule) {
  SmallVector<Value> dynamicExtents;
  SmallVector<int64_t> staticExtents;
  dispatchIndexOpFoldResults(extents, dynamicExtents, staticExtents);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setIterators(builder.getStrArrayAttr(iterators));
  properties.setStaticExtents(builder.getDenseI64ArrayAttr(staticExtents));
  properties.setIndexingMaps(builder.getAffineMapArrayAttr(maps));
  if (overwrite)
    properties.setOverwrite(builder.getUnitAttr());
  properties.setSchedule(schedule);
  int32_t *segment = properties.operandSegmentSizes.begin();
  for (ValueRange group :
       {ValueRange(dynamicExtents), inputs, sides, outputs}) {
    state.addOperands(group);
    *segment++ = group.size();
  }
  for (unsigned i = 0; i < 3; ++i)
    state.addRegion();
  for (Type type : outputs.getTypes())
    if (isa<TensorType>(type))
      state.addTypes(type);
}

void ContractOp::build(OpBuilder &builder, OperationState &state,
                       ArrayRef<StringRef> iterators,
                       ArrayRef<OpFoldResult> extents,
                       const ContractArrays &arrays, bool overwrite,
                       ScheduleAttr schedule) {
  SmallVector<AffineMap> maps = llvm::to_vector(llvm::concat<const AffineMap>(
      arrays.inputs.maps, arrays.sides.maps, arrays.outputs.maps));
  build(builder, state, iterators, extents, arrays.inputs.values,
        arrays.sides.values, arrays.outputs.values, maps, overwrite, schedule);
}

ContractArrays ContractOp::getArrays() {
  SmallVector<AffineMap> maps = getMaps();
  ArrayRef<AffineMap> left = maps;
  auto take = [&](ValueRange values) {
    MappedArrays arrays{llvm::to_vector(values),
                        llvm::to_vector(left.take_front(values.size()))};
    left = left.drop_front(values.size());
    return arrays;
  };
  return {take(getInputs()), take(getSides()), take(getOutputs())};
}

bool ContractOp::areProductsOfF32() {
  Type sum = getAccumulatorTypes().front();
  auto complex = dyn_cast<ComplexType>(sum);
  if (!(complex ? complex.getElementType() : sum).isF32())
    return false;
  if (std::optional<Factors> factors = Factors::match(*this))
    return factors->getType(0) == sum && factors->getType(1) == sum;
  return isMultiplyAdd() && getInputs().size() > 1 &&
         llvm::all_of(getInputs(), [&](Value input) {
           return getElementTypeOrSelf(input.getType()) == sum;
         });
}

/// What a copy of `from` has in common with it, whatever its iterators and
/// operands are; regions apart.
static void copyAttributes(ContractOp from, ContractOp to) {
  to.setNeutralAttr(from.getNeutralAttr());
  to.setAccumulatorAttr(from.getAccumulatorAttr());
  to.setPrecisionAttr(from.getPrecisionAttr());
  to.setAssociative(from.getAssociative());
  to.setCommutative(from.getCommutative());
  to->setDiscardableAttrs(from->getDiscardableAttrDictionary());
}

ContractOp ContractOp::cloneWith(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> extents,
                                 ValueRange operands,
                                 ArrayRef<AffineMap> maps) {
  auto names = llvm::to_vector(getIterators().getAsValueRange<StringAttr>());
  size_t inputs = getInputs().size(), sides = getSides().size();
  ContractOp copy =
      create(builder, getLoc(), names, extents, operands.take_front(inputs),
             operands.slice(inputs, sides), operands.drop_front(inputs + sides),
             maps, getOverwrite(), getScheduleAttr());
  copyAttributes(*this, copy);
  for (auto [from, to] :
       llvm::zip_equal((*this)->getRegions(), copy->getRegions())) {
    IRMapping mapping;
    from.cloneInto(&to, mapping);
  }
  return copy;
}

void ContractOp::takeMeaning(ContractOp from) {
  copyAttributes(from, *this);
  for (auto [theirs, ours] :
       llvm::zip_equal(from->getRegions(), (*this)->getRegions()))
    ours.takeBody(theirs);
}

//===----------------------------------------------------------------------===//
// Questions
//===----------------------------------------------------------------------===//

std::optional<unsigned> ContractOp::findIterator(StringRef name) {
  for (unsigned i = 0, e = getNumIterators(); i < e; ++i)
    if (getIterator(i) == name)
      return i;
  return std::nullopt;
}

SmallVector<OpFoldResult> ContractOp::getMixedExtents() {
  return getMixedValues(getStaticExtents(), getExtents(), getContext());
}

SmallVector<AffineMap> ContractOp::getMaps() {
  return llvm::to_vector(getIndexingMaps().getAsValueRange<AffineMapAttr>());
}

static AffineMap getMapAt(ContractOp op, unsigned i) {
  return cast<AffineMapAttr>(op.getIndexingMaps()[i]).getValue();
}

AffineMap ContractOp::getInputMap(unsigned i) { return getMapAt(*this, i); }

AffineMap ContractOp::getSideMap(unsigned i) {
  return getMapAt(*this, getInputs().size() + i);
}

AffineMap ContractOp::getOutputMap(unsigned i) {
  return getMapAt(*this, getInputs().size() + getSides().size() + i);
}

/// The iterator along the last dimension of a memref of this type, where one
/// access can move the dimension.
static std::optional<unsigned> findRowIterator(ContractOp op, Type operand,
                                               AffineMap map) {
  auto type = dyn_cast<MemRefType>(operand);
  if (!type || type.getRank() == 0 || type.isDynamicDim(type.getRank() - 1))
    return std::nullopt;
  auto last = dyn_cast<AffineDimExpr>(map.getResults().back());
  if (!last)
    return std::nullopt;
  unsigned i = last.getPosition();
  int64_t elements = type.getShape().back();
  if (elements < 2 || op.getStaticExtents()[i] != elements ||
      llvm::any_of(
          map.getResults().drop_back(),
          [&](AffineExpr other) { return other.isFunctionOfDim(i); }))
    return std::nullopt;
  Type element = type.getElementType();
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 != 0)
    return std::nullopt;
  SmallVector<int64_t> strides;
  int64_t offset, bytes;
  if (failed(type.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1 ||
      llvm::MulOverflow(elements, getBytes(element), bytes) ||
      bytes > kMaxAccessBytes || !llvm::isPowerOf2_64(bytes))
    return std::nullopt;
  return i;
}

SmallVector<std::optional<unsigned>> ContractOp::findRowIterators() {
  return llvm::map_to_vector(
      llvm::zip_equal(getShapedOperands(), getMaps()), [&](auto pair) {
        auto [operand, map] = pair;
        return findRowIterator(*this, operand.getType(), map);
      });
}

SmallVector<std::optional<unsigned>> ContractOp::getVectorIterators() {
  SmallVector<std::optional<unsigned>> rows = findRowIterators(),
                                       vectors(rows.size());
  if (auto numbers = TCDialect::VectorsAttrHelper(getContext()).getAttr(*this))
    for (int64_t o : numbers.asArrayRef())
      vectors[o] = rows[o];
  return vectors;
}

SmallVector<Type> ContractOp::getAccumulatorTypes() {
  // What the map yields is combined to values of the same types, if to others
  // the combine region says so.
  Region &last = getCombine().empty() ? getMap() : getCombine();
  if (!last.empty())
    return llvm::to_vector(last.front().getTerminator()->getOperandTypes());
  if (std::optional<Type> type = getAccumulator())
    return {*type};
  return {getDefaultAccumulator(getElementType())};
}

SmallVector<TypedAttr> ContractOp::getNeutralElements() {
  if (ArrayAttr neutral = getNeutralAttr())
    return llvm::map_to_vector(
        neutral, [](Attribute value) { return cast<TypedAttr>(value); });
  return llvm::map_to_vector(getAccumulatorTypes(), getZero);
}

//===----------------------------------------------------------------------===//
// Scalar code
//===----------------------------------------------------------------------===//

Value mlir::tc::findOrigin(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto op = dyn_cast<DestinationStyleOpInterface>(result.getOwner());
    if (!op)
      break;
    value = op.getTiedOpOperand(result)->get();
  }
  return value;
}

SmallVector<Value> mlir::tc::copyRegion(OpBuilder &builder, Region &region,
                                        ValueRange arguments) {
  IRMapping mapping;
  Block &block = region.front();
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      block.getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

SmallVector<Value> ContractOp::buildMap(OpBuilder &builder, Location loc,
                                        ValueRange inputs) {
  if (!getMap().empty())
    return copyRegion(builder, getMap(), inputs);
  Type type = getAccumulatorTypes().front();
  Value product = convertNumber(builder, loc, inputs.front(), type);
  for (Value factor : inputs.drop_front())
    product = multiplyNumbers(builder, loc, product,
                              convertNumber(builder, loc, factor, type));
  return {product};
}

SmallVector<Value> ContractOp::buildCombine(OpBuilder &builder, Location loc,
                                            ValueRange accumulators,
                                            ValueRange values) {
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, values);
  if (!getCombine().empty())
    return copyRegion(builder, getCombine(), operands);
  return llvm::map_to_vector(llvm::zip_equal(accumulators, values),
                             [&](auto pair) {
                               auto [acc, value] = pair;
                               return addNumbers(builder, loc, acc, value);
                             });
}

SmallVector<Value> ContractOp::buildEpilogue(OpBuilder &builder, Location loc,
                                             ValueRange accumulators,
                                             ValueRange sides) {
  SmallVector<Value> results(accumulators);
  if (!getEpilogue().empty()) {
    llvm::append_range(results, sides);
    return copyRegion(builder, getEpilogue(), results);
  }
  for (auto [i, result] : llvm::enumerate(results))
    result = convertNumber(builder, loc, result, getElementType(i));
  return results;
}

SmallVector<Value> ContractOp::buildNeutral(OpBuilder &builder, Location loc) {
  return llvm::map_to_vector(getNeutralElements(), [&](TypedAttr value) {
    return buildNumber(builder, loc, value);
  });
}

SmallVector<Value> ContractOp::buildOld(OpBuilder &builder, Location loc,
                                        ValueRange elements) {
  return llvm::map_to_vector(
      llvm::zip_equal(elements, getAccumulatorTypes()), [&](auto pair) {
        auto [element, type] = pair;
        return convertNumber(builder, loc, element, type);
      });
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  auto add = [&](MemoryEffects::Effect *effect, MutableOperandRange operands) {
    for (OpOperand &operand : operands)
      effects.emplace_back(effect, &operand,
                           SideEffects::DefaultResource::get());
  };
  add(MemoryEffects::Read::get(), getInputsMutable());
  add(MemoryEffects::Read::get(), getSidesMutable());
  if (!getOverwrite())
    add(MemoryEffects::Read::get(), getOutputsMutable());
  add(MemoryEffects::Write::get(), getOutputsMutable());
}
