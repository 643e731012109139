//===- Contract.cpp - tc.contract: building and questions ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

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
  SmallVector<Value> dynamicExtents;
  SmallVector<int64_t> staticExtents;
  dispatchIndexOpFoldResults(extents, dynamicExtents, staticExtents);
  state.addOperands(dynamicExtents);
  state.addOperands(inputs);
  state.addOperands(output);
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.setIterators(builder.getStrArrayAttr(iterators));
  properties.setStaticExtents(builder.getDenseI64ArrayAttr(staticExtents));
  properties.setIndexingMaps(builder.getAffineMapArrayAttr(maps));
  if (overwrite)
    properties.setOverwrite(builder.getUnitAttr());
  properties.setSchedule(schedule);
  properties.setOperandSegmentSizes(
      {static_cast<int32_t>(dynamicExtents.size()),
       static_cast<int32_t>(inputs.size()), 1});
  state.addRegion();
  state.addRegion();
  if (isa<TensorType>(output.getType()))
    state.addTypes(output.getType());
}

ContractOp ContractOp::cloneWith(OpBuilder &builder,
                                 ArrayRef<OpFoldResult> extents,
                                 ValueRange inputs, Value output,
                                 ArrayRef<AffineMap> maps) {
  auto names = llvm::to_vector(getIterators().getAsValueRange<StringAttr>());
  ContractOp copy = create(builder, getLoc(), names, extents, inputs, output,
                           maps, getOverwrite(), getScheduleAttr());
  copy.setNeutralAttr(getNeutralAttr());
  copy->setDiscardableAttrs((*this)->getDiscardableAttrDictionary());
  IRMapping mapping;
  getMap().cloneInto(&copy.getMap(), mapping);
  getCombine().cloneInto(&copy.getCombine(), mapping);
  return copy;
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

AffineMap ContractOp::getInputMap(unsigned i) {
  return cast<AffineMapAttr>(getIndexingMaps()[i]).getValue();
}

AffineMap ContractOp::getOutputMap() {
  return cast<AffineMapAttr>(getIndexingMaps().getValue().back()).getValue();
}

TypedAttr ContractOp::getNeutralElement() {
  if (TypedAttr neutral = getNeutralAttr())
    return neutral;
  return Builder(getContext()).getZeroAttr(getElementType());
}

/// Clones the one block of `region` on `arguments` and returns what it yields.
static Value cloneScalarRegion(OpBuilder &builder, Region &region,
                               ValueRange arguments) {
  IRMapping mapping;
  Block &block = region.front();
  mapping.map(block.getArguments(), arguments);
  for (Operation &op : block.without_terminator())
    builder.clone(op, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

Value ContractOp::buildMap(OpBuilder &builder, Location loc,
                           ValueRange inputs) {
  if (!getMap().empty())
    return cloneScalarRegion(builder, getMap(), inputs);
  Value product = inputs.front();
  for (Value factor : inputs.drop_front())
    product =
        isa<FloatType>(product.getType())
            ? arith::MulFOp::create(builder, loc, product, factor).getResult()
            : arith::MulIOp::create(builder, loc, product, factor).getResult();
  return product;
}

Value ContractOp::buildCombine(OpBuilder &builder, Location loc, Value acc,
                               Value value) {
  if (!getCombine().empty())
    return cloneScalarRegion(builder, getCombine(), {acc, value});
  if (isa<FloatType>(acc.getType()))
    return arith::AddFOp::create(builder, loc, acc, value);
  return arith::AddIOp::create(builder, loc, acc, value);
}

void ContractOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasTensorSemantics())
    return;
  for (OpOperand &input : getInputsMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &input,
                         SideEffects::DefaultResource::get());
  OpOperand &output = getOutputMutable();
  if (!getOverwrite())
    effects.emplace_back(MemoryEffects::Read::get(), &output,
                         SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &output,
                       SideEffects::DefaultResource::get());
}
