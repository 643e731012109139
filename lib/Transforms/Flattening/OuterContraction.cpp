//===- OuterContraction.cpp - A contraction over a nest's indices ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/OuterContraction.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::hasStridedOperands(ContractOp op) {
  return llvm::all_of(op.getShapedOperands(), [](Value operand) {
    auto type = dyn_cast<MemRefType>(operand.getType());
    return type && type.isStrided();
  });
}

OuterContraction::OuterContraction(ParOp par, ContractOp op)
    : par(par), op(op), values(op.getContext()) {
  if (op.getScheduleAttr()) {
    refuse("a contraction has a schedule");
    return;
  }
  if (!hasStridedOperands(op)) {
    refuse("operands are no strided memrefs");
    return;
  }
  if (!addIndices())
    return;
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps()))
    if (!addOperand(operand, map))
      return;
  if (!isFixed())
    return;
  mergeTiles();
  for (const Array &result :
       ArrayRef(arrays).take_back(op.getOutputs().size())) {
    AffineMap map = getMap(result);
    bool hasIndices = llvm::all_of(llvm::seq(numIndices), [&](unsigned i) {
      return map.isFunctionOfDim(i);
    });
    if (!hasIndices || !ContractOp::isInjective(map)) {
      refuse("an index of the tc.par is no dimension of the result");
      return;
    }
  }
}

AffineMap OuterContraction::getMap(const Array &array) const {
  return AffineMap::get(
      names.size(), 0,
      llvm::map_to_vector(array.places,
                          [](const Place &place) { return place.inside; }),
      values.getContext());
}

/// Are extents, and what the regions take from outside, the same in all
/// iterations?
bool OuterContraction::isFixed() {
  SetVector<Value> used(op.getExtents().begin(), op.getExtents().end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  bool changes = llvm::any_of(used, [&](Value value) {
    return par->isAncestor(value.getParentRegion()->getParentOp());
  });
  return !changes ||
         refuse("its extents or regions need what is computed in the tc.par");
}

bool OuterContraction::refuse(const Twine &why) {
  obstacle = why.str();
  return false;
}

/// Adds an iterator for each index, which is a letter that is not taken.
bool OuterContraction::addIndices() {
  SpaceBounds bounds = par.getBounds();
  std::string letters = "pqrstuvwxyzabcdefghijklmno";
  for (unsigned d = 0, e = par.getRank(); d < e; ++d) {
    auto lower = getConstantIntValue(bounds.lower[d]),
         upper = getConstantIntValue(bounds.upper[d]),
         step = getConstantIntValue(bounds.step[d]);
    if (!lower || !step || getConstantIntValue(bounds.width[d]) != 1 ||
        (!upper && (*lower != 0 || *step != 1)))
      return refuse("the bounds of the tc.par are no constants, and do not "
                    "begin at 0 in steps of 1");
    values.getDim(par.getIndices()[d]);
    extents.push_back(upper
                          ? OpFoldResult(IntegerAttr::get(
                                IndexType::get(op.getContext()),
                                countTrips(*lower, *upper, *step, /*width=*/1)))
                          : bounds.upper[d]);
    std::string name = "index" + std::to_string(d);
    for (char letter : letters)
      if (std::string one(1, letter);
          !op.findIterator(one) && !llvm::is_contained(names, one)) {
        name = one;
        break;
      }
    names.push_back(name);
  }
  numIndices = par.getRank();
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    names.push_back(op.getIterator(i).str());
  llvm::append_range(extents, op.getMixedExtents());
  return true;
}

/// A subscript: what the iterators say of it, and a number that is the same in
/// all iterations of the tc.par, over the values of the program. None where it
/// is not linear, or needs others.
std::optional<OuterContraction::Place>
OuterContraction::findPlace(OpFoldResult value) {
  AffineExpr expr = values.trace(value); // may add dimensions
  auto form = linearForm(expr, values.getNumDims());
  if (!form || !staticValue(form->constant))
    return std::nullopt;
  SpaceBounds bounds = par.getBounds();
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  Place place = {form->constant, zero};
  for (auto [d, factor] : llvm::enumerate(form->factors)) {
    if (factor == 0)
      continue;
    AffineExpr dim = getAffineDimExpr(d, op.getContext());
    Value outside = values.getValue(d);
    if (d < numIndices)
      place.inside =
          place.inside + (dim * *getConstantIntValue(bounds.step[d]) +
                          *getConstantIntValue(bounds.lower[d])) *
                             factor;
    else if (outside && !par.getRegion().isAncestor(outside.getParentRegion()))
      place.outside = place.outside + dim * factor;
    else
      return std::nullopt;
  }
  return place;
}

/// Adds the array that `operand` is a view of, and how the iterators reach it.
bool OuterContraction::addOperand(Value operand, AffineMap map) {
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  Array array;
  for (AffineExpr subscript : map.getResults())
    array.places.push_back(
        {subscript.shiftDims(map.getNumDims(), numIndices), zero});
  while (par.getRegion().isAncestor(operand.getParentRegion())) {
    Operation *made = operand.getDefiningOp();
    if (auto cast = dyn_cast_or_null<memref::CastOp>(made);
        cast && isa<MemRefType>(cast.getSource().getType())) {
      operand = cast.getSource();
      continue;
    }
    auto view = dyn_cast_or_null<memref::SubViewOp>(made);
    if (!view)
      return refuse(
          made ? "an operand is made by '" +
                     made->getName().getStringRef().str() +
                     "' inside of the tc.par"
               : std::string("an operand changes in a loop of the tc.par"));
    llvm::SmallBitVector dropped = view.getDroppedDims();
    SmallVector<Place> inSource;
    unsigned next = 0;
    for (auto [d, offset, stride] :
         llvm::enumerate(view.getMixedOffsets(), view.getMixedStrides())) {
      std::optional<Place> place = findPlace(offset);
      std::optional<int64_t> by = getConstantIntValue(stride);
      if (!place || !by)
        return refuse("the place of an operand is not linear in the indices "
                      "of the tc.par");
      if (!dropped[d]) {
        const Place &own = array.places[next++];
        *place = {place->inside + own.inside * *by,
                  place->outside + own.outside * *by};
      }
      inSource.push_back(*place);
    }
    array.places = std::move(inSource);
    operand = view.getSource();
  }
  if (!cast<MemRefType>(operand.getType()).isStrided())
    return refuse("operands are no strided memrefs");
  array.memref = operand;
  arrays.push_back(std::move(array));
  return true;
}

/// The array from the places on that are the same in all iterations.
Value OuterContraction::buildBase(OpBuilder &builder, const Array &array) {
  AffineExpr zero = getAffineConstantExpr(0, op.getContext());
  if (llvm::all_of(array.places,
                   [&](const Place &at) { return at.outside == zero; }))
    return array.memref;
  Location loc = op.getLoc();
  SmallVector<Value> dims;
  for (unsigned d = 0, e = values.getNumDims(); d < e; ++d)
    dims.push_back(values.getValue(d));
  SmallVector<OpFoldResult> offsets, sizes, strides;
  for (auto [d, place] : llvm::enumerate(array.places)) {
    strides.push_back(builder.getIndexAttr(1));
    OpFoldResult size = memref::getMixedSize(builder, loc, array.memref, d);
    if (place.outside == zero) {
      offsets.push_back(builder.getIndexAttr(0));
      sizes.push_back(size);
      continue;
    }
    Value offset =
        affine::expandAffineExpr(builder, loc, place.outside, dims, {});
    Value whole = getValueOrCreateConstantIndexOp(builder, loc, size);
    offsets.push_back(offset);
    sizes.push_back(
        arith::SubIOp::create(builder, loc, whole, offset).getResult());
  }
  return memref::SubViewOp::create(builder, loc, array.memref, offsets, sizes,
                                   strides);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Does `index` count tiles along `iterator`: do they occur as the position
/// index * extent of the iterator + iterator alone?
bool OuterContraction::countsTilesOf(unsigned index, unsigned iterator) const {
  auto size = getConstantIntValue(extents[iterator]);
  bool occurs = false;
  for (const Array &array : arrays)
    for (const Place &place : array.places) {
      auto form = linearForm(place.inside, names.size());
      auto whole = form && size
                       ? llvm::checkedMul(form->factors[iterator], *size)
                       : std::nullopt;
      if (!whole || form->factors[index] != *whole)
        return false;
      occurs |= *whole != 0;
    }
  return occurs;
}

void OuterContraction::dropIterator(unsigned i) {
  unsigned count = names.size();
  SmallVector<AffineExpr> renumbered;
  for (unsigned d = 0; d < count; ++d)
    renumbered.push_back(d == i
                             ? getAffineConstantExpr(0, op.getContext())
                             : getAffineDimExpr(d - (d > i), op.getContext()));
  for (Array &array : arrays)
    for (Place &place : array.places)
      place.inside = place.inside.replaceDims(renumbered);
  names.erase(names.begin() + i);
  extents.erase(extents.begin() + i);
  numIndices -= i < numIndices;
}

/// Merges each index that counts tiles with the iterator inside of a tile.
void OuterContraction::mergeTiles() {
  for (unsigned index = numIndices; index-- > 0;)
    for (unsigned i = numIndices; i < names.size(); ++i) {
      auto parts = getConstantIntValue(extents[index]),
           size = getConstantIntValue(extents[i]);
      auto whole =
          parts && size ? llvm::checkedMul(*parts, *size) : std::nullopt;
      if (!whole || !countsTilesOf(index, i))
        continue;
      extents[i] = IntegerAttr::get(IndexType::get(op.getContext()), *whole);
      dropIterator(index);
      break;
    }
}

ContractOp OuterContraction::build(OpBuilder &builder) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(par);
  SmallVector<AffineMap> maps;
  SmallVector<Value> operands;
  for (const Array &array : arrays) {
    maps.push_back(getMap(array));
    operands.push_back(buildBase(builder, array));
  }
  ValueRange all(operands);
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto outer = ContractOp::create(
      builder, op.getLoc(),
      llvm::map_to_vector(names, [](StringRef name) { return name; }), extents,
      all.take_front(inputs), all.slice(inputs, sides),
      all.drop_front(inputs + sides), maps, op.getOverwrite());
  outer.takeMeaning(op);
  return outer;
}
