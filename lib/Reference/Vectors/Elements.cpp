//===- Elements.cpp - Arithmetic on the elements of vectors ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ops of arith and math on vectors, and reductions and contractions of vectors,
// by the scalar ops of the reference.
//
//===----------------------------------------------------------------------===//

#include "Steps/Steps.h"
#include "Values/Rounding.h"
#include "Values/ScalarProgram.h"
#include "Vectors/Vectors.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace llvm;

namespace mlir::tc::reference {

View project(const View &base, AffineMap map, ArrayRef<int64_t> extents) {
  View result{base.storage, base.offset, to_vector(extents),
              SmallVector<int64_t>(extents.size(), 0)};
  for (auto [expr, stride] : zip_equal(map.getResults(), base.strides))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      result.strides[dim.getPosition()] += stride;
  return result;
}

Error setVector(Value result, Expected<View> view, State &state) {
  if (!view || isa<ShapedType>(result.getType()))
    return state.set(result, std::move(view));
  state.set(result, view->at(view->offset));
  return Error::success();
}

/// Sets each element of `target` to what `function` makes of those of
/// `operands` at the same point. `target` may be one of them, and have strides
/// of 0.
static void apply(const ScalarOp &function, ArrayRef<View> operands,
                  const View &target) {
  SmallVector<SmallVector<int64_t>, 3> places; // of each operand
  for (const View &operand : operands) {
    SmallVector<int64_t> &own = places.emplace_back();
    operand.forEach([&](int64_t place) { own.push_back(place); });
  }
  size_t point = 0;
  target.forEach([&](int64_t place) {
    SmallVector<Scalar, 3> arguments;
    for (auto [operand, own] : zip_equal(operands, places))
      arguments.push_back(operand.at(own[point]));
    target.at(place) = function.apply(arguments);
    ++point;
  });
}

Error evaluateElements(Operation *op, const ScalarOp &function, State &state) {
  Value result = op->getResult(0);
  ArrayRef<int64_t> shape = cast<VectorType>(result.getType()).getShape();
  auto everywhere = AffineMap::get(shape.size(), 0, op->getContext());
  SmallVector<View, 3> operands;
  for (Value operand : op->getOperands()) {
    View view = state.viewOf(operand);
    bool isVector = isa<VectorType>(operand.getType());
    operands.push_back(isVector ? view : project(view, everywhere, shape));
  }
  Expected<View> target = View::allocate(shape);
  if (target)
    apply(function, operands, *target);
  return setVector(result, std::move(target), state);
}

//===----------------------------------------------------------------------===//
// Reductions and contractions
//===----------------------------------------------------------------------===//

/// What combines two numbers of `type`.
static Expected<ScalarOp> findCombine(vector::CombiningKind kind, Type type) {
  using Kind = vector::CombiningKind;
  // The kinds have the names of the ops, but for the letters of their types.
  std::string name = ("arith." + stringifyCombiningKind(kind)).str();
  if (kind == Kind::ADD || kind == Kind::MUL)
    name += isa<FloatType>(type) ? 'f' : 'i';
  if (kind == Kind::AND || kind == Kind::OR || kind == Kind::XOR)
    name += 'i';
  if (std::optional<ScalarOp> found = findScalarOp(name, type))
    return *found;
  return createStringError("expected a kind that combines two numbers, got " +
                           stringifyCombiningKind(kind));
}

/// Gives `result` the elements of `start`, each of which `kind` combines, one
/// after the other, with those of `terms` whose indices `map` takes to its own.
static Error reduce(Value result, const View &start, const View &terms,
                    AffineMap map, vector::CombiningKind kind, State &state) {
  Expected<ScalarOp> combine =
      findCombine(kind, getElementTypeOrSelf(result.getType()));
  if (!combine)
    return combine.takeError();
  Expected<View> total = start.clone();
  if (total) {
    View target = project(*total, map, terms.sizes);
    apply(*combine, {target, terms}, target);
  }
  return setVector(result, std::move(total), state);
}

static Error run(vector::MultiDimReductionOp op, State &state) {
  SmallVector<int64_t> kept;
  for (auto [dim, isReduced] : enumerate(op.getReductionMask()))
    if (!isReduced)
      kept.push_back(dim);
  auto map = AffineMap::getMultiDimMapWithTargets(op.getReductionMask().size(),
                                                  to_vector_of<unsigned>(kept),
                                                  op.getContext());
  return reduce(op.getDest(), state.viewOf(op.getAcc()),
                state.viewOf(op.getSource()), map, op.getKind(), state);
}

/// Without an accumulator the first element is what the others join.
static Error run(vector::ReductionOp op, State &state) {
  View terms = state.viewOf(op.getVector()), start = terms;
  if (op.getAcc())
    start = state.viewOf(op.getAcc());
  start.sizes.clear();
  start.strides.clear();
  if (!op.getAcc() && !terms.sizes.empty()) {
    terms.offset += terms.strides[0];
    --terms.sizes[0];
  }
  auto map = AffineMap::get(terms.sizes.size(), 0, op.getContext());
  return reduce(op.getDest(), start, terms, map, op.getKind(), state);
}

/// The products of two vectors at the points of an index space, as numbers of
/// `type`.
static Expected<View> multiply(Value lhs, AffineMap lhsMap, Value rhs,
                               AffineMap rhsMap, ArrayRef<int64_t> extents,
                               Type type, State &state) {
  Expected<View> products = View::allocate(extents);
  if (products)
    apply(getProduct(type),
          {project(state.viewOf(lhs), lhsMap, extents),
           project(state.viewOf(rhs), rhsMap, extents)},
          *products);
  return products;
}

static Error run(vector::ContractionOp op, State &state) {
  SmallVector<AffineMap, 4> maps = op.getIndexingMapsArray();
  SmallVector<int64_t> extents(maps[0].getNumDims());
  for (auto [map, type] : {std::pair(maps[0], op.getLhsType()),
                           std::pair(maps[1], op.getRhsType())})
    for (auto [expr, extent] : zip_equal(map.getResults(), type.getShape()))
      extents[cast<AffineDimExpr>(expr).getPosition()] = extent;
  Expected<View> terms =
      multiply(op.getLhs(), maps[0], op.getRhs(), maps[1], extents,
               getElementTypeOrSelf(op.getAccType()), state);
  if (!terms)
    return terms.takeError();
  return reduce(op.getResult(), state.viewOf(op.getAcc()), *terms, maps[2],
                op.getKind(), state);
}

/// Of two vectors, or of a vector and a scalar.
static Error run(vector::OuterProductOp op, State &state) {
  VectorType type = op.getResultVectorType();
  int64_t rank = type.getRank();
  MLIRContext *context = op.getContext();
  auto lhsMap = AffineMap::getMultiDimMapWithTargets(rank, {0}, context);
  auto rhsMap = rank == 1
                    ? AffineMap::get(rank, 0, context)
                    : AffineMap::getMultiDimMapWithTargets(rank, {1}, context);
  Expected<View> terms =
      multiply(op.getLhs(), lhsMap, op.getRhs(), rhsMap, type.getShape(),
               type.getElementType(), state);
  if (!terms || !op.getAcc())
    return setVector(op->getResult(0), std::move(terms), state);
  return reduce(op->getResult(0), state.viewOf(op.getAcc()), *terms,
                AffineMap::getMultiDimIdentityMap(rank, context), op.getKind(),
                state);
}

//===----------------------------------------------------------------------===//
// Bits
//===----------------------------------------------------------------------===//

static unsigned widthOf(Type element) {
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

/// The bits of a number of `type`; none where rounding errors decide them.
static std::optional<APInt> findBits(const Scalar &x, Type type) {
  auto real = dyn_cast<FloatType>(type);
  if (real ? x.error() != 0 : x.inherited != 0)
    return std::nullopt;
  if (!real)
    return APInt(64, uint64_t(x.integer)).trunc(widthOf(type));
  APFloat value(x.value);
  bool isOther = false;
  value.convert(real.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                &isOther);
  if (isOther)
    return std::nullopt;
  return value.bitcastToAPInt();
}

static Scalar toNumber(const APInt &bits, Type type) {
  if (auto real = dyn_cast<FloatType>(type))
    return Scalar::of(
        APFloat(real.getFloatSemantics(), bits).convertToDouble());
  return Scalar::ofInteger(type.isInteger(1) ? int64_t(bits.getZExtValue())
                                             : bits.getSExtValue());
}

/// The elements one after the other, lowest bits first, as those of another
/// type. Rows have whole numbers of both.
static Error run(vector::BitCastOp op, State &state) {
  Type from = op.getSourceVectorType().getElementType();
  Type to = op.getResultVectorType().getElementType();
  unsigned width = widthOf(from), newWidth = widthOf(to);
  if (width > 64 || newWidth > 64)
    return createNoMeaningError(op);
  View source = state.viewOf(op.getSource());
  APInt bits(width * source.count(), 0), isUnknown = bits;
  unsigned at = 0;
  source.forEach([&](int64_t place) {
    if (std::optional<APInt> own = findBits(source.at(place), from))
      bits.insertBits(*own, at);
    else
      isUnknown.setBits(at, at + width);
    at += width;
  });
  Expected<View> result = View::allocate(op.getResultVectorType().getShape());
  if (result)
    for (auto [i, element] : enumerate(result->storage->elements))
      element = isUnknown.extractBits(newWidth, i * newWidth).isZero()
                    ? toNumber(bits.extractBits(newWidth, i * newWidth), to)
                    : unknownNumber();
  return setVector(op.getResult(), std::move(result), state);
}

void addVectorElementOps(OpTable &table) {
  table.addStep<vector::FMAOp>([](vector::FMAOp op, State &state) {
    Type element = op.getVectorType().getElementType();
    return evaluateElements(op, *findScalarOp("math.fma", element), state);
  });
  table.addStep<vector::BitCastOp, vector::ContractionOp,
                vector::MultiDimReductionOp, vector::OuterProductOp,
                vector::ReductionOp>(
      [](auto op, State &state) { return run(op, state); });
}

} // namespace mlir::tc::reference
