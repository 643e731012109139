//===- MicroKernelAccess.cpp - Loads and stores of one thread -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Alignment.h"
#include "Contract/Indexing.h"
#include "Microkernel/MicroKernel.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<Value> MicroKernel::getIndices(Value memref, AffineMap map) {
  SmallVector<OpFoldResult> nearest = point;
  for (auto [size, subscript] : llvm::zip_equal(
           cast<MemRefType>(memref.getType()).getShape(), map.getResults()))
    for (unsigned i : results)
      if (auto extent = dyn_cast<Value>(extents[i]);
          extent && !findGuard(i) && ShapedType::isDynamic(size) &&
          subscript.isFunctionOfDim(i))
        nearest[i] = buildNearest(builder, loc, point[i], extent);
  SmallVector<Value> indices;
  for (AffineExpr subscript : map.getResults()) {
    // Of registers nearly all are constants, which need not be composed.
    auto dim = dyn_cast<AffineDimExpr>(subscript);
    OpFoldResult index =
        dim && isa<Attribute>(nearest[dim.getPosition()])
            ? nearest[dim.getPosition()]
            : affine::makeComposedFoldedAffineApply(
                  builder, loc, AffineMap::get(map.getNumDims(), 0, subscript),
                  nearest);
    indices.push_back(getIndex(index));
  }
  return indices;
}

Value MicroKernel::getIndex(OpFoldResult index) {
  std::optional<int64_t> constant = getConstantIntValue(index);
  if (!constant)
    return cast<Value>(index);
  Value &known = constants[*constant];
  if (!known) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(op->getBlock());
    known = arith::ConstantIndexOp::create(builder, loc, *constant);
  }
  return known;
}

static bool isComplex(Value memref) {
  return isa<ComplexType>(getElementTypeOrSelf(memref.getType()));
}

static VectorType getVectorType(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  return VectorType::get(type.getShape().back(), type.getElementType());
}

static llvm::MaybeAlign getVectorAlignment(Value memref) {
  VectorType type = getVectorType(memref);
  return llvm::MaybeAlign(type.getNumElements() *
                          (type.getElementTypeBitWidth() / 8));
}

ArrayAttr MicroKernel::getPosition(AffineMap map,
                                   std::optional<unsigned> without) {
  SmallVector<Attribute> position;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (auto place = dyn_cast_if_present<Attribute>(point[i]);
        place && i != without && map.isFunctionOfDim(i))
      position.push_back(place);
  return builder.getArrayAttr(position);
}

/// The indices of the first element of the vector along `i` at the point.
SmallVector<Value> MicroKernel::getVectorIndices(Value memref, AffineMap map,
                                                 unsigned i) {
  OpFoldResult place = std::exchange(point[i], builder.getIndexAttr(0));
  SmallVector<Value> indices = getIndices(memref, map);
  point[i] = place;
  return indices;
}

/// What is known of the address of the complex number at the point. There are
/// no vectors of them: LLVM makes one access of those of a row where it sees
/// that the first is aligned to all.
llvm::MaybeAlign MicroKernel::findAlignment(Value memref,
                                            std::optional<unsigned> i) {
  llvm::MaybeAlign own = findComplexAlignment(memref, op);
  if (!own || !i)
    return own;
  uint64_t row = cast<MemRefType>(memref.getType()).getShape().back();
  uint64_t before = *getConstantIntValue(point[*i]);
  return llvm::commonAlignment(llvm::Align(row * own->value()),
                               before * own->value());
}

/// The iterator of the vector that the point is an element of; none where a
/// loop walks it, as it may where terms keep their order.
std::optional<unsigned> MicroKernel::findVectorAtPoint(unsigned operand) {
  std::optional<unsigned> i = vectors[operand];
  return i && isa<Attribute>(point[*i]) ? i : std::nullopt;
}

/// The element of the operand at the point, by itself or out of a vector that
/// is loaded whole and kept.
Value MicroKernel::loadElement(unsigned operand) {
  Value memref = op.getShapedOperands()[operand];
  AffineMap map = maps[operand];
  std::optional<unsigned> i = findVectorAtPoint(operand);
  llvm::MaybeAlign alignment = findAlignment(memref, i);
  if (isComplex(memref))
    i.reset();
  std::pair<Value, ArrayAttr> key = {memref, getPosition(map, i)};
  Value whole = loaded.lookup(key);
  if (!whole && !i)
    whole =
        memref::LoadOp::create(builder, loc, memref, getIndices(memref, map),
                               /*nontemporal=*/false, alignment);
  if (!whole)
    whole = vector::LoadOp::create(builder, loc, getVectorType(memref), memref,
                                   getVectorIndices(memref, map, *i),
                                   /*nontemporal=*/false,
                                   getVectorAlignment(memref));
  loaded[key] = whole;
  return i ? vector::ExtractOp::create(builder, loc, whole,
                                       *getConstantIntValue(point[*i]))
                 .getResult()
           : whole;
}

/// Stores `element` of the operand at the point, or keeps it until its vector
/// is complete.
void MicroKernel::storeElement(Value element, unsigned operand) {
  Value memref = op.getShapedOperands()[operand];
  AffineMap map = maps[operand];
  std::optional<unsigned> i = findVectorAtPoint(operand);
  if (!i || isComplex(memref)) {
    memref::StoreOp::create(builder, loc, element, memref,
                            getIndices(memref, map), /*nontemporal=*/false,
                            findAlignment(memref, i));
    return;
  }
  SmallVector<Value> &elements = toStore[{memref, getPosition(map, i)}];
  elements.push_back(element);
  VectorType type = getVectorType(memref);
  if (int64_t(elements.size()) < type.getNumElements())
    return;
  Value vector = vector::FromElementsOp::create(builder, loc, type, elements);
  elements.clear();
  vector::StoreOp::create(builder, loc, vector, memref,
                          getVectorIndices(memref, map, *i),
                          /*nontemporal=*/false, getVectorAlignment(memref));
}

SmallVector<Value> MicroKernel::loadInputs() {
  return llvm::map_to_vector(llvm::seq<unsigned>(op.getInputs().size()),
                             [&](unsigned i) { return loadElement(i); });
}

/// The old results, as accumulators.
SmallVector<Value> MicroKernel::loadOld() {
  auto elements =
      llvm::map_to_vector(llvm::seq<unsigned>(firstOutput(), maps.size()),
                          [&](unsigned o) { return loadElement(o); });
  return op.buildOld(builder, loc, elements);
}

bool MicroKernel::holdsAccumulators() {
  return !unrolledSteps.empty() &&
         llvm::all_of(results, [&](unsigned i) { return !findGuard(i); });
}

void MicroKernel::storeHeld() {
  for (auto &[place, accumulator] : held)
    memref::StoreOp::create(builder, loc, accumulator.value, place.first,
                            accumulator.indices);
  held.clear();
}

SmallVector<Value> MicroKernel::loadAccumulators() {
  return llvm::map_to_vector(
      llvm::zip_equal(accumulators, accumulatorMaps), [&](auto pair) {
        auto [buffer, map] = pair;
        return memref::LoadOp::create(builder, loc, buffer,
                                      getIndices(buffer, map))
            .getResult();
      });
}

void MicroKernel::storeAccumulators(ValueRange values) {
  for (auto [value, buffer, map] :
       llvm::zip_equal(values, accumulators, accumulatorMaps))
    memref::StoreOp::create(builder, loc, value, buffer,
                            getIndices(buffer, map));
}
