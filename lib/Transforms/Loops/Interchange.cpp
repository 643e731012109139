//===- Interchange.cpp - The dimensions of nests in another order ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nests of fixed bounds become one nest. Where bounds depend on indices, such
// as after a skew, there is one nest in the other, and those dimensions are
// eliminated from the bounds of each that are inside of it (Fourier-Motzkin).
// An outer bound may then hold indices of which no inner one exists.
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"
#include "Nests/Bands.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;
using presburger::BoundType;

namespace {
/// Nests of one kind, each all that there is in the one before.
class Band {
public:
  explicit Band(Operation *outermost);

  SmallVector<LoopNest> nests;
  SmallVector<Value> indices;
  SpaceBounds bounds;

  bool isPar() const { return nests.front().isPar(); }
  /// Takes inner nests up to `rank` dimensions; false if there are not as many.
  bool extendTo(unsigned rank);
  /// Is a value computed in the band?
  bool isInside(OpFoldResult bound) const;
  bool hasFixedBounds() const;
  /// Arithmetic between the nests, which computes their bounds.
  SmallVector<Operation *> getArithmetic() const;

private:
  void take(LoopNest nest);
};

/// The space of a band, with its dimensions in another order.
class Domain {
public:
  Domain(const Band &band, ArrayRef<int64_t> order)
      : values(band.nests.front().op->getContext()) {
    for (int64_t d : order)
      dims.push_back(values.getDim(band.indices[d]));
  }

  /// Fails where a bound is not linear.
  LogicalResult addBounds(const Band &band, ArrayRef<int64_t> order);
  /// The bounds of dimension `d` over those before it and the symbols.
  std::pair<AffineMap, AffineMap> getBounds(unsigned d) const;
  ArrayRef<Value> getSymbols() const { return symbols.getArrayRef(); }

private:
  LogicalResult add(BoundType type, unsigned d, ArrayRef<AffineExpr> exprs);

  NestValues values;
  SmallVector<AffineExpr> dims;
  SmallVector<std::tuple<BoundType, unsigned, SmallVector<AffineExpr>>> bounds;
  llvm::SetVector<Value> symbols;
  std::optional<FlatLinearConstraints> system;
};
} // namespace

//===----------------------------------------------------------------------===//
// Bands
//===----------------------------------------------------------------------===//

Band::Band(Operation *outermost) { take(LoopNest(outermost)); }

void Band::take(LoopNest nest) {
  nests.push_back(nest);
  llvm::append_range(indices, nest.getIndices());
  SpaceBounds own = nest.getBounds();
  llvm::append_range(bounds.lower, own.lower);
  llvm::append_range(bounds.upper, own.upper);
  llvm::append_range(bounds.step, own.step);
  llvm::append_range(bounds.width, own.width);
}

bool Band::extendTo(unsigned rank) {
  while (indices.size() < rank) {
    Operation *inner = nullptr;
    for (Operation &op : nests.back().getBody().without_terminator()) {
      bool isNest = op.getName() == nests.front().op->getName();
      if (inner || (!isNest && !isPure(&op)))
        return false;
      inner = isNest ? &op : nullptr;
    }
    if (!inner)
      return false;
    take(LoopNest(inner));
  }
  return indices.size() == rank;
}

bool Band::isInside(OpFoldResult bound) const {
  auto value = dyn_cast<Value>(bound);
  return value &&
         nests.front().op->isAncestor(value.getParentRegion()->getParentOp());
}

bool Band::hasFixedBounds() const {
  auto isFixed = [&](OpFoldResult bound) { return !isInside(bound); };
  return llvm::all_of(bounds.lower, isFixed) &&
         llvm::all_of(bounds.upper, isFixed) &&
         llvm::all_of(bounds.step, isFixed) &&
         llvm::all_of(bounds.width, isFixed);
}

SmallVector<Operation *> Band::getArithmetic() const {
  SmallVector<Operation *> all;
  for (LoopNest nest : ArrayRef(nests).drop_back())
    for (Operation &op : nest.getBody().without_terminator())
      if (op.getName() != nests.front().op->getName())
        all.push_back(&op);
  return all;
}

//===----------------------------------------------------------------------===//
// Domains
//===----------------------------------------------------------------------===//

LogicalResult Domain::addBounds(const Band &band, ArrayRef<int64_t> order) {
  for (auto [position, d] : llvm::enumerate(order)) {
    bounds.emplace_back(BoundType::LB, position,
                        values.traceBounds(band.bounds.lower[d], true));
    bounds.emplace_back(BoundType::UB, position,
                        values.traceBounds(band.bounds.upper[d], false));
  }
  // All other values that bounds are made of are symbols.
  SmallVector<AffineExpr> replacements;
  for (unsigned d = 0, e = values.getNumDims(); d < e; ++d) {
    AffineExpr dim = getAffineDimExpr(d, values.getContext());
    Value value = values.getValue(d);
    if (const auto *found = llvm::find(dims, dim); found != dims.end()) {
      replacements.push_back(
          getAffineDimExpr(found - dims.begin(), values.getContext()));
      continue;
    }
    if (!value || band.isInside(value))
      return failure();
    symbols.insert(value);
    replacements.push_back(
        getAffineSymbolExpr(symbols.size() - 1, values.getContext()));
  }
  system.emplace(dims.size(), symbols.size());
  for (auto &[type, d, exprs] : bounds)
    for (AffineExpr expr : exprs)
      if (failed(
              system->addBound(type, d,
                               AffineMap::get(dims.size(), symbols.size(),
                                              expr.replaceDims(replacements)),
                               /*isClosedBound=*/type == BoundType::LB)))
        return failure();
  return success(system->getNumLocalVars() == 0);
}

std::pair<AffineMap, AffineMap> Domain::getBounds(unsigned d) const {
  FlatLinearConstraints outer(*system);
  outer.projectOut(d + 1, dims.size() - d - 1);
  outer.removeRedundantConstraints();
  return outer.getLowerAndUpperBound(/*pos=*/0, /*offset=*/d, /*num=*/1,
                                     /*symStartPos=*/d + 1, /*localExprs=*/{},
                                     values.getContext());
}

//===----------------------------------------------------------------------===//
// Interchange
//===----------------------------------------------------------------------===//

static std::string findObstacle(Band &band, ArrayRef<int64_t> order) {
  if (!band.extendTo(order.size()))
    return ("expected " + Twine(order.size()) +
            " dimensions of nests in each "
            "other and nothing else between them, found " +
            Twine(band.indices.size()))
        .str();
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  for (auto [d, number] : llvm::enumerate(sorted))
    if (number != int64_t(d))
      return ("expected each number from 0 to " + Twine(order.size() - 1) +
              " once")
          .str();
  for (LoopNest nest : band.nests)
    if (std::string why = nest.findObstacle(); !why.empty())
      return why;
  if (band.hasFixedBounds())
    return "";
  for (LoopNest nest : band.nests)
    for (unsigned d = 0; d < nest.getRank(); ++d)
      if (!nest.isDense(d))
        return "expected steps of 1 where bounds depend on indices";
  return "";
}

/// One nest over all dimensions.
static Operation *buildOne(OpBuilder &builder, const Band &band,
                           ArrayRef<int64_t> order,
                           SmallVectorImpl<Value> &indices) {
  SpaceBounds bounds;
  for (int64_t d : order) {
    bounds.lower.push_back(band.bounds.lower[d]);
    bounds.upper.push_back(band.bounds.upper[d]);
    bounds.step.push_back(band.bounds.step[d]);
    bounds.width.push_back(band.bounds.width[d]);
  }
  LoopNest made(band.nests.front().createLike(builder, bounds));
  for (auto [d, index] : llvm::zip_equal(order, made.getIndices()))
    indices[d] = index;
  return made.op;
}

/// A nest for each dimension.
static SmallVector<Operation *> buildEach(OpBuilder &builder, const Band &band,
                                          ArrayRef<int64_t> order,
                                          const Domain &domain,
                                          SmallVectorImpl<Value> &indices) {
  OpBuilder::InsertionGuard guard(builder);
  Location loc = band.nests.front().op->getLoc();
  OpFoldResult one = builder.getIndexAttr(1);
  SmallVector<Operation *> all;
  SmallVector<OpFoldResult> operands;
  for (auto [position, d] : llvm::enumerate(order)) {
    auto [lower, upper] = domain.getBounds(position);
    SmallVector<OpFoldResult> inputs(operands);
    for (Value symbol : domain.getSymbols())
      inputs.push_back(symbol);
    SpaceBounds bounds{
        {affine::makeComposedFoldedAffineMax(builder, loc, lower, inputs)},
        {affine::makeComposedFoldedAffineMin(builder, loc, upper, inputs)},
        {one},
        {one}};
    LoopNest made(band.nests.front().createLike(builder, bounds));
    indices[d] = made.getIndices().front();
    operands.push_back(indices[d]);
    all.push_back(made.op);
    builder.setInsertionPointToStart(&made.getBody());
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Loops of nests
//===----------------------------------------------------------------------===//

/// The tc.seq that is all there is in a tc.par but arithmetic; null if another
/// op is.
static SeqOp findOnlyLoop(Operation *op) {
  if (!isa<ParOp>(op))
    return nullptr;
  SeqOp loop;
  for (Operation &inner : LoopNest(op).getBody().without_terminator()) {
    auto seq = dyn_cast<SeqOp>(inner);
    if (seq ? bool(loop) : !isPure(&inner))
      return nullptr;
    loop = seq ? seq : loop;
  }
  return loop;
}

static std::string findObstacle(LoopNest par, LoopNest loop,
                                ArrayRef<int64_t> order) {
  for (LoopNest nest : {par, loop})
    if (std::string why = nest.findObstacle(); !why.empty())
      return why;
  unsigned outer = par.getRank(), all = outer + loop.getRank();
  bool isRotation = order.size() == all;
  for (auto [i, number] : llvm::enumerate(order))
    isRotation &= number == int64_t((i + outer) % all);
  if (!isRotation)
    return "expected all dimensions of the tc.seq before all of the tc.par";
  if (llvm::any_of(loop.op->getOperands(), [&](Value bound) {
        return par.op->isAncestor(bound.getParentRegion()->getParentOp());
      }))
    return "expected a tc.seq with the same bounds in all iterations";
  return "";
}

/// Makes a loop of nests of a nest of loops. No iteration of the tc.par sees
/// what another one does, so this needs no proof.
static TwoNests makeLoopOfNests(RewriterBase &rewriter, LoopNest par,
                                LoopNest loop) {
  rewriter.setInsertionPoint(par.op);
  LoopNest outer(loop.createLike(rewriter, loop.getBounds()));
  rewriter.setInsertionPointToStart(&outer.getBody());
  LoopNest inner(par.createLike(rewriter, par.getBounds()));
  rewriter.eraseOp(loop.getBody().getTerminator());
  rewriter.inlineBlockBefore(&loop.getBody(), loop.op,
                             llvm::to_vector_of<Value>(outer.getIndices()));
  rewriter.eraseOp(loop.op);
  par.moveBody(rewriter, inner.op,
               llvm::to_vector_of<Value>(inner.getIndices()));
  rewriter.eraseOp(par.op);
  return {outer.op, inner.op};
}

FailureOr<TwoNests> mlir::tc::interchangeNest(RewriterBase &rewriter,
                                              Operation *op,
                                              ArrayRef<int64_t> order,
                                              Refusal &refusal) {
  if (SeqOp loop = findOnlyLoop(op);
      loop && order.size() > LoopNest(op).getRank()) {
    LoopNest par(op), inner(loop);
    // Bounds may be computed in each iteration, and be the same for all.
    hoistInvariants(cast<ParOp>(op));
    if (std::string why = findObstacle(par, inner, order); !why.empty())
      return refuse(refusal, why);
    return makeLoopOfNests(rewriter, par, inner);
  }
  Band band(op);
  if (std::string why = findObstacle(band, order); !why.empty())
    return refuse(refusal, why);
  Domain domain(band, order);
  bool isFixed = band.hasFixedBounds();
  if (!isFixed && failed(domain.addBounds(band, order)))
    return refuse(refusal, "expected bounds that are linear in the indices");
  auto getTimes = [&](ArrayRef<AffineExpr> indices) {
    return llvm::map_to_vector(order, [&](int64_t d) { return indices[d]; });
  };
  if (failed(checkOrder(op, band.indices, "interchange", getTimes, refusal)))
    return failure();

  rewriter.setInsertionPoint(op);
  SmallVector<Value> indices(order.size());
  SmallVector<Operation *> made;
  if (isFixed)
    made.push_back(buildOne(rewriter, band, order, indices));
  else
    made = buildEach(rewriter, band, order, domain, indices);
  // What the nests computed for each other, each iteration computes for itself.
  Block &body = made.back()->getRegion(0).front();
  SmallVector<Operation *> arithmetic = band.getArithmetic();
  for (auto [old, index] : llvm::zip_equal(band.indices, indices))
    rewriter.replaceAllUsesWith(old, index);
  for (Operation *computed : arithmetic)
    rewriter.moveOpBefore(computed, body.getTerminator());
  band.nests.back().moveBody(
      rewriter, made.back(),
      ArrayRef(indices).take_back(band.nests.back().getRank()));
  for (LoopNest nest : llvm::reverse(band.nests))
    rewriter.eraseOp(nest.op);
  for (Operation *computed : llvm::reverse(arithmetic))
    if (computed->use_empty())
      rewriter.eraseOp(computed);
  return TwoNests{made.front(), made.back()};
}
