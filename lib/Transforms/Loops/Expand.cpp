//===- Expand.cpp - Contractions and folds as nests -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tc.par of results with a tc.seq of terms. Partial results are in memory, so
// that steps on the nests see what depends on what: in the results themselves
// where they may be, else in a buffer of the iteration.
//
//===----------------------------------------------------------------------===//

#include "Loops/LoopNest.h"

#include "tc/IR/Factors.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Scalars in memory
//===----------------------------------------------------------------------===//

namespace {
/// Where partial results are: elements of memrefs.
struct Places {
  SmallVector<Value> buffers;
  SmallVector<SmallVector<Value>> subscripts;

  SmallVector<Value> load(OpBuilder &builder, Location loc) const {
    SmallVector<Value> values;
    for (auto [buffer, element] : llvm::zip_equal(buffers, subscripts))
      values.push_back(memref::LoadOp::create(builder, loc, buffer, element));
    return values;
  }
  void store(OpBuilder &builder, Location loc, ValueRange values) const {
    for (auto [value, buffer, element] :
         llvm::zip_equal(values, buffers, subscripts))
      memref::StoreOp::create(builder, loc, value, buffer, element);
  }
};
} // namespace

/// New buffers of one element each.
static Places makePlaces(OpBuilder &builder, Location loc, TypeRange types) {
  Places places;
  for (Type type : types)
    places.buffers.push_back(
        NewOp::create(builder, loc, MemRefType::get({}, type), TypedAttr(),
                      /*threads=*/0, IntegerAttr()));
  places.subscripts.resize(types.size());
  return places;
}

/// Emits the ops of `region` with `arguments` for its own; gives what it
/// yields.
static SmallVector<Value> cloneBody(OpBuilder &builder, Region &region,
                                    ValueRange arguments) {
  IRMapping mapping;
  mapping.map(region.getArguments(), arguments);
  for (Operation &op : region.front().without_terminator())
    builder.clone(op, mapping);
  return llvm::map_to_vector(
      region.front().getTerminator()->getOperands(),
      [&](Value value) { return mapping.lookupOrDefault(value); });
}

//===----------------------------------------------------------------------===//
// tc.contract
//===----------------------------------------------------------------------===//

namespace {
class ContractExpansion {
public:
  ContractExpansion(RewriterBase &rewriter, ContractOp op)
      : builder(rewriter), op(op), loc(op.getLoc()),
        point(op.getNumIterators()) {}

  TwoNests run();
  ParOp runCarrying();

private:
  SpaceBounds getSpace(bool contracted) const;
  void enter(bool contracted, ValueRange indices);
  SmallVector<Value> getSubscripts(AffineMap map);
  Places getPlaces(ValueRange buffers,
                   function_ref<AffineMap(unsigned)> getMap);
  Places getResults();
  bool holdsPartialResults();
  Operation *accumulate(const Places &partial);
  Operation *buildResults();
  SmallVector<Value> carry(ValueRange inits);
  void write(const Places &results, bool mayContinue,
             function_ref<SmallVector<Value>(ValueRange)> sum);

  RewriterBase &builder;
  ContractOp op;
  Location loc;
  SmallVector<Value> point; ///< the index of each iterator
};
} // namespace

SpaceBounds ContractExpansion::getSpace(bool contracted) const {
  SpaceBounds space;
  auto same = const_cast<ContractOp &>(op);
  for (auto [i, extent] : llvm::enumerate(same.getMixedExtents()))
    if (same.isContracted(i) == contracted)
      space.upper.push_back(extent);
  space.lower.assign(space.upper.size(), builder.getIndexAttr(0));
  space.step.assign(space.upper.size(), builder.getIndexAttr(1));
  space.width = space.step;
  return space;
}

void ContractExpansion::enter(bool contracted, ValueRange indices) {
  for (unsigned i = 0, e = op.getNumIterators(); i != e; ++i)
    if (op.isContracted(i) == contracted) {
      point[i] = indices.front();
      indices = indices.drop_front();
    }
}

SmallVector<Value> ContractExpansion::getSubscripts(AffineMap map) {
  SmallVector<OpFoldResult> operands;
  SmallVector<AffineExpr> dims(map.getNumDims());
  for (unsigned i = 0, e = map.getNumDims(); i != e; ++i)
    if (map.isFunctionOfDim(i)) { // others may not be there yet
      dims[i] = builder.getAffineDimExpr(operands.size());
      operands.push_back(point[i]);
    } else {
      dims[i] = builder.getAffineConstantExpr(0);
    }
  map = map.replaceDimsAndSymbols(dims, {}, operands.size(), 0);
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr subscript) {
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(
            builder, loc, AffineMap::get(operands.size(), 0, subscript),
            operands));
  });
}

Places ContractExpansion::getPlaces(ValueRange buffers,
                                    function_ref<AffineMap(unsigned)> getMap) {
  Places places;
  for (auto [number, buffer] : llvm::enumerate(buffers)) {
    places.buffers.push_back(buffer);
    places.subscripts.push_back(getSubscripts(getMap(number)));
  }
  return places;
}

Places ContractExpansion::getResults() {
  return getPlaces(op.getOutputs(),
                   [&](unsigned i) { return op.getOutputMap(i); });
}

/// Can results hold accumulators, from the old results or the neutral elements
/// on? Sums that may be reordered begin with the old result as well.
bool ContractExpansion::holdsPartialResults() {
  SmallVector<Type> types = op.getAccumulatorTypes();
  if (!op.getEpilogue().empty() || types.size() != op.getOutputs().size())
    return false;
  return llvm::all_of(llvm::enumerate(types), [&](auto type) {
    return op.getElementType(type.index()) == type.value();
  });
}

/// Combines the terms of all contracted points with what is in `partial`. Gives
/// the loop; null where there is one point.
Operation *ContractExpansion::accumulate(const Places &partial) {
  auto addHere = [&] {
    Places inputs = getPlaces(op.getInputs(),
                              [&](unsigned i) { return op.getInputMap(i); });
    SmallVector<Value> elements = inputs.load(builder, loc);
    SmallVector<Value> before = partial.load(builder, loc);
    partial.store(builder, loc, addTerm(builder, loc, op, before, elements));
  };
  SpaceBounds space = getSpace(/*contracted=*/true);
  if (space.upper.empty())
    return addHere(), nullptr;
  return SeqOp::create(builder, loc, space, ValueRange(),
                       [&](OpBuilder &, Location, ValueRange indices,
                           ValueRange) -> SmallVector<Value> {
                         enter(/*contracted=*/true, indices);
                         addHere();
                         return {};
                       });
}

Operation *ContractExpansion::buildResults() {
  Places results = getResults();
  if (holdsPartialResults()) {
    if (op.getOverwrite())
      results.store(builder, loc, op.buildNeutral(builder, loc));
    return accumulate(results);
  }
  Places partial = makePlaces(builder, loc, op.getAccumulatorTypes());
  Operation *loop = nullptr;
  write(results, !op.mayReorder(), [&](ValueRange inits) {
    partial.store(builder, loc, inits);
    loop = accumulate(partial);
    return partial.load(builder, loc);
  });
  return loop;
}

/// Writes what `sum` makes of its initial values: what was there before if it
/// `mayContinue`, else neutral elements, and then that is added.
void ContractExpansion::write(
    const Places &results, bool mayContinue,
    function_ref<SmallVector<Value>(ValueRange)> sum) {
  auto loadOld = [&] {
    return op.buildOld(builder, loc, results.load(builder, loc));
  };
  bool startsFromOld = !op.getOverwrite() && mayContinue;
  SmallVector<Value> values =
      sum(startsFromOld ? loadOld() : op.buildNeutral(builder, loc));
  if (!op.getOverwrite() && !startsFromOld)
    values = op.buildCombine(builder, loc, loadOld(), values);
  Places sides =
      getPlaces(op.getSides(), [&](unsigned i) { return op.getSideMap(i); });
  results.store(
      builder, loc,
      op.buildEpilogue(builder, loc, values, sides.load(builder, loc)));
}

TwoNests ContractExpansion::run() {
  builder.setInsertionPoint(op);
  Operation *loop = nullptr;
  auto nest = ParOp::create(builder, loc, getSpace(/*contracted=*/false),
                            [&](OpBuilder &, Location, ValueRange indices) {
                              enter(/*contracted=*/false, indices);
                              loop = buildResults();
                            });
  builder.eraseOp(op);
  return {nest, loop};
}

/// Lets `value` become part of a fused multiply-add where a CPU has those.
static void allowContraction(Value value) {
  using Flags = arith::FastMathFlags;
  llvm::TypeSwitch<Operation *>(value.getDefiningOp())
      .Case<arith::MulFOp, arith::AddFOp>(
          [](auto op) { op.setFastmath(op.getFastmath() | Flags::contract); });
}

/// The loop over all contracted points from `inits` on; gives its results.
SmallVector<Value> ContractExpansion::carry(ValueRange inits) {
  auto addTo = [&](ValueRange before) {
    Places inputs = getPlaces(op.getInputs(),
                              [&](unsigned i) { return op.getInputMap(i); });
    SmallVector<Value> terms =
        op.buildMap(builder, loc, inputs.load(builder, loc));
    SmallVector<Value> after = op.buildCombine(builder, loc, before, terms);
    if (op.isMultiplyAdd())
      for (Value value : {terms.front(), after.front()})
        allowContraction(value);
    return after;
  };
  SpaceBounds space = getSpace(/*contracted=*/true);
  if (space.upper.empty())
    return addTo(inits);
  auto loop = SeqOp::create(
      builder, loc, space, inits,
      [&](OpBuilder &, Location, ValueRange indices, ValueRange before) {
        enter(/*contracted=*/true, indices);
        return addTo(before);
      });
  return llvm::to_vector(ValueRange(loop.getResults()));
}

ParOp ContractExpansion::runCarrying() {
  builder.setInsertionPoint(op);
  auto nest = ParOp::create(
      builder, loc, getSpace(/*contracted=*/false),
      [&](OpBuilder &, Location, ValueRange indices) {
        enter(/*contracted=*/false, indices);
        write(getResults(), !op.mayReorder() || holdsPartialResults(),
              [&](ValueRange inits) { return carry(inits); });
      });
  builder.eraseOp(op);
  return nest;
}

ParOp mlir::tc::expandCarrying(RewriterBase &rewriter, ContractOp op) {
  return ContractExpansion(rewriter, op).runCarrying();
}

static FailureOr<TwoNests> expandContract(RewriterBase &rewriter, ContractOp op,
                                          Refusal &refusal) {
  if (op.hasTensorSemantics())
    return refuse(refusal, "expected memrefs, found tensors: bufferize first");
  if (op.getScheduleAttr())
    return refuse(refusal, "expected a contraction without a schedule, which "
                           "is for the contraction as a whole");
  return ContractExpansion(rewriter, op).run();
}

//===----------------------------------------------------------------------===//
// tc.reduce and tc.scan
//===----------------------------------------------------------------------===//

/// Combines what is in `total` with `terms`; gives what was there, and what is.
template <typename FoldOp>
static std::pair<SmallVector<Value>, SmallVector<Value>>
addTerms(OpBuilder &builder, FoldOp op, const Places &total, ValueRange terms) {
  SmallVector<Value> before = total.load(builder, op.getLoc());
  SmallVector<Value> arguments = before;
  llvm::append_range(arguments, terms);
  SmallVector<Value> after = cloneBody(builder, op.getCombine(), arguments);
  total.store(builder, op.getLoc(), after);
  return {before, after};
}

/// Builds the loop of a tc.reduce or tc.scan; `finish` gets the indices, and
/// the values before and after each.
template <typename FoldOp>
static SeqOp
buildLoop(OpBuilder &builder, FoldOp op, const Places &total,
          function_ref<void(ValueRange, ValueRange, ValueRange)> finish) {
  Location loc = op.getLoc();
  total.store(builder, loc, op.getInits());
  return SeqOp::create(builder, loc, op.getBounds(), ValueRange(),
                       [&](OpBuilder &, Location, ValueRange indices,
                           ValueRange) -> SmallVector<Value> {
                         SmallVector<Value> terms =
                             cloneBody(builder, op.getMap(), indices);
                         auto [before, after] =
                             addTerms(builder, op, total, terms);
                         finish(indices, before, after);
                         return {};
                       });
}

static SeqOp buildFold(OpBuilder &builder, ReduceOp op) {
  Places total = makePlaces(builder, op.getLoc(), op.getInits().getTypes());
  SeqOp loop =
      buildLoop(builder, op, total, [](ValueRange, ValueRange, ValueRange) {});
  cloneBody(builder, op.getFinish(), total.load(builder, op.getLoc()));
  return loop;
}

static SeqOp buildFold(OpBuilder &builder, ScanOp op) {
  Places total = makePlaces(builder, op.getLoc(), op.getInits().getTypes());
  return buildLoop(
      builder, op, total,
      [&](ValueRange indices, ValueRange before, ValueRange after) {
        SmallVector<Value> arguments(indices);
        llvm::append_range(arguments, op.getExclusive() ? before : after);
        cloneBody(builder, op.getFinish(), arguments);
      });
}

/// Outside of any tc.par the loop has one of its own: it is a kernel's, too.
template <typename FoldOp>
static FailureOr<TwoNests> expandFold(RewriterBase &rewriter, FoldOp op,
                                      Refusal &refusal) {
  if (op.getLevel())
    return refuse(refusal, "expected no level, found '" +
                               stringifyLevel(*op.getLevel()) + "'");
  rewriter.setInsertionPoint(op);
  TwoNests nests{nullptr, nullptr};
  if (op->template getParentOfType<ParOp>())
    nests.second = buildFold(rewriter, op);
  else
    nests.first = ParOp::create(rewriter, op.getLoc(), SpaceBounds(),
                                [&](OpBuilder &, Location, ValueRange) {
                                  nests.second = buildFold(rewriter, op);
                                });
  rewriter.eraseOp(op);
  return nests;
}

FailureOr<TwoNests> mlir::tc::expandToNests(RewriterBase &rewriter,
                                            Operation *op, Refusal &refusal) {
  return TypeSwitch<Operation *, FailureOr<TwoNests>>(op)
      .Case([&](ContractOp contract) {
        return expandContract(rewriter, contract, refusal);
      })
      .Case<ReduceOp, ScanOp>(
          [&](auto fold) { return expandFold(rewriter, fold, refusal); })
      .Default([&](Operation *) -> FailureOr<TwoNests> {
        return refuse(refusal,
                      "expected a tc.contract, tc.reduce or tc.scan, found '" +
                          op->getName().getStringRef() + "'");
      });
}
