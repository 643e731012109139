//===- Vectorize.cpp - Iterations of a nest together ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value of the body is a scalar, that of the first iteration of a group, or a
// vector of all of them, or both. Subscripts are scalars; what depends on
// loaded neighbours is a vector; what is the same for all becomes a vector
// where one is needed.
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "Contract/Alignment.h"

#include "tc/Algebra/Exprs.h"
#include "tc/Analysis/AccessBox.h"
#include "tc/Analysis/WideAccess.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Elements of a vector, at most: LLVM splits what is wider than registers.
static constexpr int64_t kMostLanes = 256;

namespace {
class Vectorizer {
public:
  Vectorizer(RewriterBase &rewriter, LoopNest nest, unsigned dim, int64_t width,
             Refusal &refusal)
      : rewriter(rewriter), nest(nest), dim(dim), width(width),
        index(nest.getIndices()[dim]), refusal(refusal),
        values(nest.op->getContext()) {}

  LogicalResult check() { return checkBlock(nest.getBody()); }
  /// Writes the body of `target`, whose groups are `width` apart.
  void write(LoopNest target);

private:
  LogicalResult checkBlock(Block &block);
  LogicalResult checkAccess(Operation *op, Value memref, ValueRange subscripts);
  LogicalResult checkArithmetic(Operation &op);
  LogicalResult checkNest(Operation &op);
  LogicalResult checkCarried(SeqOp loop);
  std::optional<int64_t> getStride(Value value);
  bool isVarying(Value value);
  void writeBlock(Block &block);
  void writeOp(Operation &op);
  void writeNest(Operation &op);
  void writeLoop(SeqOp loop);
  SpaceBounds getScalars(SpaceBounds bounds);
  SmallVector<Value> getScalars(ValueRange originals);
  Value getVector(Value original);
  VectorType getType(Type element) { return VectorType::get({width}, element); }
  llvm::MaybeAlign getAlignment(Value memref, ValueRange subscripts);

  RewriterBase &rewriter;
  LoopNest nest;
  unsigned dim;
  int64_t width;
  Value index;
  Refusal &refusal;
  NestValues values;
  IRMapping scalars;
  DenseMap<Value, Value> vectors;
  /// Values that no scalar stands for: they come of loaded vectors.
  DenseSet<Value> varying;
  /// Those, and numbers that depend on the index in no linear way.
  DenseSet<Value> opaque;
};
} // namespace

/// What `value` grows by from one iteration along the dimension to the next; 0
/// of what is outside. None if that is not constant, or `value` is loaded.
std::optional<int64_t> Vectorizer::getStride(Value value) {
  AffineExpr expr = values.trace(value), self = values.getDim(index);
  bool isKnown = true;
  expr.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    isKnown &= !dim || !opaque.contains(values.getValue(dim.getPosition()));
  });
  AffineExpr next = expr.replace(self, self + 1);
  auto stride = staticValue(
      simplifyAffineExpr(next - expr, values.getNumDims(), /*symbols=*/0));
  return isKnown ? stride : std::nullopt;
}

/// Is `value` not the same for all iterations of a group?
bool Vectorizer::isVarying(Value value) { return getStride(value) != 0; }

/// May elements of vectors be of `type`?
static bool isLane(Type type) { return VectorType::isValidElementType(type); }

bool mlir::tc::hasVectorsInMemory(Type type) {
  if (!type.isIntOrFloat())
    return type.isIndex();
  unsigned bits = type.getIntOrFloatBitWidth();
  return bits >= 8 && llvm::isPowerOf2_64(bits);
}

LogicalResult Vectorizer::checkAccess(Operation *op, Value memref,
                                      ValueRange subscripts) {
  auto refuseAt = [&](const Twine &what) {
    return refuse(refusal, "expected '" + op->getName().getStringRef() +
                               "' of neighbours or of one element, found " +
                               what);
  };
  bool isStore = isa<memref::StoreOp>(op), isVector = false;
  for (auto [d, subscript] : llvm::enumerate(subscripts)) {
    std::optional<int64_t> stride = getStride(subscript);
    if (!stride)
      return refuseAt("subscript " + Twine(d) + " of no constant stride");
    if (*stride == 0)
      continue;
    auto type = cast<MemRefType>(memref.getType());
    if (d + 1 != subscripts.size() || *stride != 1 ||
        type.getStridesAndOffset().first.back() != 1)
      return refuseAt("elements apart along dimension " + Twine(d));
    isVector = true;
  }
  if (isStore && !isVector)
    return refuseAt("a store to one element");
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (!isLane(element))
    return refuseAt("elements of no number");
  if (isVector && !hasVectorsInMemory(element))
    return refuseAt("elements that are no whole bytes");
  if (isVector && !isStore) {
    varying.insert(op->getResult(0));
    opaque.insert(op->getResult(0));
  }
  return success();
}

LogicalResult Vectorizer::checkArithmetic(Operation &op) {
  if (!isPure(&op) || op.getNumRegions() != 0)
    return refuse(refusal, "expected loads, stores, arithmetic and nests in "
                           "the nest, found '" +
                               op.getName().getStringRef() + "'");
  bool isElementwise = OpTrait::hasElementwiseMappableTraits(&op) &&
                       llvm::all_of(op.getOperandTypes(), isLane) &&
                       llvm::all_of(op.getResultTypes(), isLane);
  bool fromVectors = llvm::any_of(op.getOperands(), [&](Value operand) {
    return varying.contains(operand);
  });
  bool fromIndex = llvm::any_of(
      op.getOperands(), [&](Value operand) { return isVarying(operand); });
  for (Value result : op.getResults()) {
    AffineExpr traced = values.trace(result);
    if (!fromIndex ||
        (!fromVectors && traced != values.getDim(result) && getStride(result)))
      continue;
    if (!isElementwise)
      return refuse(refusal, "expected arithmetic on each element, found '" +
                                 op.getName().getStringRef() + "'");
    opaque.insert(result);
    if (fromVectors)
      varying.insert(result);
  }
  return success();
}

LogicalResult Vectorizer::checkBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      if (failed(checkAccess(load, load.getMemRef(), load.getIndices())))
        return failure();
      continue;
    }
    if (auto store = dyn_cast<memref::StoreOp>(op)) {
      if (failed(checkAccess(store, store.getMemRef(), store.getIndices())))
        return failure();
      continue;
    }
    if (failed(isa<ParOp, SeqOp>(op) ? checkNest(op) : checkArithmetic(op)))
      return failure();
  }
  return success();
}

/// The bounds, steps and widths of a tc.par or tc.seq that are values.
static SmallVector<Value> getBoundValues(Operation *op) {
  auto collect = [](auto nest) {
    SmallVector<Value> bounds(nest.getLower());
    llvm::append_range(bounds, nest.getUpper());
    llvm::append_range(bounds, nest.getStep());
    llvm::append_range(bounds, nest.getWidth());
    return bounds;
  };
  return isa<ParOp>(op) ? collect(cast<ParOp>(op)) : collect(cast<SeqOp>(op));
}

LogicalResult Vectorizer::checkNest(Operation &op) {
  auto loop = dyn_cast<SeqOp>(op);
  if (std::string why =
          loop ? findStagesObstacle(loop) : LoopNest(&op).findObstacle();
      !why.empty())
    return refuse(refusal, why);
  if (llvm::any_of(getBoundValues(&op),
                   [&](Value bound) { return isVarying(bound); }))
    return refuse(refusal, "expected bounds of the nests inside that are the "
                           "same for all iterations of a group");
  return loop ? checkCarried(loop) : checkBlock(*cast<ParOp>(op).getBody());
}

/// A carried value is a vector if it begins as one, or becomes one in a step.
LogicalResult Vectorizer::checkCarried(SeqOp loop) {
  auto mark = [&](unsigned i) {
    for (Value value :
         {Value(loop.getCarried()[i]), Value(loop.getResult(i))}) {
      varying.insert(value);
      opaque.insert(value);
    }
  };
  auto marksMore = [&](OperandRange next) {
    bool more = false;
    for (auto [i, value] : llvm::enumerate(next))
      if (!varying.contains(loop.getResult(i)) && isVarying(value)) {
        mark(i);
        more = true;
      }
    return more;
  };
  for (Type type : loop.getResultTypes())
    if (!isLane(type))
      return refuse(refusal, "expected a tc.seq that carries numbers");
  marksMore(loop.getInits());
  do {
    if (failed(checkBlock(*loop.getBody())))
      return failure();
  } while (marksMore(loop.getBody()->getTerminator()->getOperands()));
  return success();
}

SmallVector<Value> Vectorizer::getScalars(ValueRange originals) {
  return llvm::map_to_vector(originals, [&](Value original) {
    return scalars.lookupOrDefault(original);
  });
}

/// The vector of what `original` is in each iteration of a group.
Value Vectorizer::getVector(Value original) {
  Value &vector = vectors[original];
  if (vector)
    return vector;
  Location loc = original.getLoc();
  Value scalar = scalars.lookupOrDefault(original);
  VectorType type = getType(scalar.getType());
  std::optional<int64_t> stride = getStride(original);
  if (stride && (*stride == 0 || type.getElementType().isIndex())) {
    Value all = vector::BroadcastOp::create(rewriter, loc, type, scalar);
    if (*stride != 0) {
      SmallVector<int64_t> steps;
      for (int64_t lane = 0; lane < width; ++lane)
        steps.push_back(lane * *stride);
      Value apart = arith::ConstantOp::create(
          rewriter, loc, rewriter.getIndexVectorAttr(steps));
      all = arith::AddIOp::create(rewriter, loc, all, apart);
    }
    return vectors[original] = all;
  }
  // A number of no constant stride: computed again, of vectors.
  Operation *op = original.getDefiningOp();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getVector(operand));
  OperationState state(loc, op->getName());
  state.addOperands(operands);
  for (Type result : op->getResultTypes())
    state.addTypes(getType(result));
  state.addAttributes(llvm::to_vector(op->getDiscardableAttrs()));
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Operation *made = rewriter.create(state);
  for (auto [old, result] :
       llvm::zip_equal(op->getResults(), made->getResults()))
    vectors[old] = result;
  return vectors[original];
}

/// What the first element of a vector is known to be a multiple of.
llvm::MaybeAlign Vectorizer::getAlignment(Value memref, ValueRange subscripts) {
  auto type = cast<MemRefType>(memref.getType());
  unsigned bits =
      type.getElementType().isIntOrFloat() ? type.getElementTypeBitWidth() : 0;
  int64_t bytes = bits / 8 * width;
  if (bits % 8 != 0 || bytes > kMaxAccessBytes || !llvm::isPowerOf2_64(bytes) ||
      !(isInWorkgroupMemory(memref) || isKnownAligned(memref)))
    return std::nullopt;
  NestValues made(rewriter.getContext());
  SmallVector<AffineExpr> exprs = llvm::map_to_vector(
      subscripts, [&](Value subscript) { return made.trace(subscript); });
  AffineExpr distance = getDistance(type, exprs);
  if (!distance || !isNonNegative(-(distance % width), made))
    return std::nullopt;
  return llvm::Align(bytes);
}

SpaceBounds Vectorizer::getScalars(SpaceBounds bounds) {
  for (SmallVector<OpFoldResult> *side :
       {&bounds.lower, &bounds.upper, &bounds.step, &bounds.width})
    for (OpFoldResult &bound : *side)
      if (auto value = dyn_cast<Value>(bound))
        bound = scalars.lookupOrDefault(value);
  return bounds;
}

/// A loop that carries values, vectors where they differ within a group.
void Vectorizer::writeLoop(SeqOp loop) {
  auto get = [&](unsigned i, Value value) {
    return varying.contains(loop.getResult(i)) ? getVector(value)
                                               : scalars.lookupOrDefault(value);
  };
  auto getAll = [&](OperandRange originals) {
    SmallVector<Value> all;
    for (auto [i, value] : llvm::enumerate(originals))
      all.push_back(get(i, value));
    return all;
  };
  auto map = [&](unsigned i, Value original, Value made) {
    if (varying.contains(loop.getResult(i)))
      vectors[original] = made;
    else
      scalars.map(original, made);
  };
  SmallVector<Value> inits = getAll(loop.getInits());
  DenseMap<Value, Value> outside = vectors;
  auto made = SeqOp::create(
      rewriter, loop.getLoc(), getScalars(loop.getBounds()), inits,
      [&](OpBuilder &, Location, ValueRange indices, ValueRange carried) {
        scalars.map(loop.getIndices(), indices);
        for (auto [i, value] : llvm::enumerate(carried))
          map(i, loop.getCarried()[i], value);
        writeBlock(*loop.getBody());
        return getAll(loop.getBody()->getTerminator()->getOperands());
      });
  vectors = outside;
  for (auto [i, result] : llvm::enumerate(made.getResults()))
    map(i, loop.getResult(i), result);
}

void Vectorizer::writeNest(Operation &op) {
  if (auto loop = dyn_cast<SeqOp>(op); loop && loop.getNumResults() != 0)
    return writeLoop(loop);
  LoopNest inner(&op);
  LoopNest made(inner.createLike(rewriter, getScalars(inner.getBounds())));
  scalars.map(inner.getIndices(), made.getIndices());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(made.getBody().getTerminator());
  // Vectors of this body are not seen outside of it.
  DenseMap<Value, Value> outside = vectors;
  writeBlock(inner.getBody());
  vectors = outside;
}

void Vectorizer::writeOp(Operation &op) {
  Location loc = op.getLoc();
  if (auto load = dyn_cast<memref::LoadOp>(op);
      load && varying.contains(load.getResult())) {
    SmallVector<Value> subscripts = getScalars(load.getIndices());
    Value memref = scalars.lookupOrDefault(load.getMemRef());
    vectors[load] = vector::LoadOp::create(
        rewriter, loc, getType(load.getType()), memref, subscripts,
        /*nontemporal=*/false, getAlignment(memref, subscripts));
    return;
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    SmallVector<Value> subscripts = getScalars(store.getIndices());
    Value memref = scalars.lookupOrDefault(store.getMemRef());
    vector::StoreOp::create(rewriter, loc, getVector(store.getValue()), memref,
                            subscripts, /*nontemporal=*/false,
                            getAlignment(memref, subscripts));
    return;
  }
  if (isa<ParOp, SeqOp>(op))
    return writeNest(op);
  if (op.getNumResults() > 0 && varying.contains(op.getResult(0)))
    getVector(op.getResult(0));
  else
    rewriter.clone(op, scalars);
}

void Vectorizer::writeBlock(Block &block) {
  for (Operation &op : block.without_terminator())
    writeOp(op);
}

void Vectorizer::write(LoopNest target) {
  scalars.map(nest.getIndices(), target.getIndices());
  rewriter.setInsertionPoint(target.getBody().getTerminator());
  writeBlock(nest.getBody());
  // Scalars of what became a vector are not needed.
  runRegionDCE(rewriter, target.op->getRegions());
}

FailureOr<TwoNests> mlir::tc::vectorizeNest(RewriterBase &rewriter,
                                            Operation *op, int64_t dim,
                                            int64_t width, Refusal &refusal) {
  LoopNest nest(op);
  if (std::string why = nest.findObstacle(dim); !why.empty())
    return refuse(refusal, why);
  SpaceBounds bounds = nest.getBounds();
  if (width < 2 || width > kMostLanes)
    return refuse(refusal, "expected a width from 2 to " + Twine(kMostLanes) +
                               ", found " + Twine(width));
  if (getConstantIntValue(bounds.step[dim]) != 1)
    return refuse(refusal, "expected steps of 1 along dimension " + Twine(dim));
  NestValues values(op->getContext());
  AffineExpr lower = values.trace(bounds.lower[dim]);
  std::optional<int64_t> extent =
      values.findExtent(bounds.lower[dim], bounds.upper[dim]);
  if (dim > 0 && !nest.isPar() && !extent)
    return refuse(refusal, "expected a constant extent of dimension " +
                               Twine(dim) +
                               ", or another order: what is left "
                               "over runs at the end");
  auto getTimes = [&](ArrayRef<AffineExpr> indices) {
    SmallVector<AffineExpr> times(indices);
    AffineExpr place = times[dim] - lower;
    times[dim] = place.floorDiv(width);
    // What is left over runs when all groups have.
    if (dim > 0 && extent.value_or(0) >= width && *extent % width != 0)
      times.insert(times.begin(), place.floorDiv(*extent / width * width));
    return times;
  };
  if (failed(checkOrder(op, nest.getIndices(), "running by vectors", getTimes,
                        refusal)))
    return failure();
  Vectorizer vectorizer(rewriter, nest, dim, width, refusal);
  if (failed(vectorizer.check()))
    return failure();

  // Groups from the first index on, as many as there are whole ones.
  rewriter.setInsertionPoint(op);
  AffineExpr first = rewriter.getAffineDimExpr(0),
             end = rewriter.getAffineDimExpr(1);
  OpFoldResult whole = affine::makeComposedFoldedAffineApply(
      rewriter, op->getLoc(), first + (end - first).floorDiv(width) * width,
      {bounds.lower[dim], bounds.upper[dim]});
  SpaceBounds groups = bounds;
  groups.upper[dim] = whole;
  groups.step[dim] = rewriter.getIndexAttr(width);
  LoopNest made(nest.createLike(rewriter, groups));
  vectorizer.write(made);
  if (isEqualConstantIntOrValue(whole, bounds.upper[dim])) {
    rewriter.eraseOp(op);
    return TwoNests{made.op, nullptr};
  }
  SpaceBounds rest = bounds;
  rest.lower[dim] = whole;
  rewriter.setInsertionPoint(op);
  LoopNest left(nest.createLike(rewriter, rest));
  nest.moveBody(rewriter, left.op,
                llvm::to_vector_of<Value>(left.getIndices()));
  rewriter.eraseOp(op);
  return TwoNests{made.op, left.op};
}
