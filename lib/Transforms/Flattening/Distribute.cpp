//===- Distribute.cpp - Contractions out of the nests round them ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See NestParts.h: a nest of several ops is several nests. Likewise a nest of a
// loop is a loop of nests.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "Flattening/NestParts.h"
#include "Flattening/OuterContraction.h"
#include "Nests/Bands.h"
#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_DISTRIBUTE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

static bool holdsContraction(Operation *op) {
  return containsOp(*op,
                    [](Operation *inner) { return isa<ContractOp>(inner); });
}

/// Is `op` a contraction, or a nest or loop that holds one?
static bool isToComeOut(Operation *op) {
  return isa<ContractOp>(op) || (isa<ParOp, SeqOp>(op) && holdsContraction(op));
}

namespace {
class Distribution {
public:
  explicit Distribution(ParOp par) : par(par), parts(par, isToComeOut) {}

  /// Replaces the tc.par; or says why it stays. None where it is cut into nests
  /// that have been treated in turn.
  std::optional<std::string> run();

private:
  std::optional<std::string> interchange(SeqOp loop);

  ParOp par;
  NestParts parts;
};
} // namespace

//===----------------------------------------------------------------------===//
// What stays
//===----------------------------------------------------------------------===//

/// The view of `memref` that begins where the results at `indices` need it, and
/// the subscripts of the terms in it; none where these would be before that.
static std::optional<std::pair<Value, AffineMap>>
buildPart(OpBuilder &builder, Location loc, Value memref, AffineMap map,
          ArrayRef<unsigned> results, ArrayRef<unsigned> terms,
          ValueRange indices) {
  MLIRContext *context = builder.getContext();
  AffineExpr zero = getAffineConstantExpr(0, context);
  SmallVector<AffineExpr> atResult(map.getNumDims(), zero),
      atTerm(map.getNumDims(), zero), subscripts;
  for (auto [place, i] : llvm::enumerate(results))
    atResult[i] = getAffineDimExpr(place, context);
  for (auto [place, i] : llvm::enumerate(terms))
    atTerm[i] = getAffineDimExpr(place, context);
  SmallVector<OpFoldResult> offsets, sizes;
  for (auto [d, subscript] : llvm::enumerate(map.getResults())) {
    LinearForm form = *linearForm(subscript, map.getNumDims());
    AffineExpr first = subscript.replaceDims(atResult),
               rest = subscript.replaceDims(atTerm) - form.constant;
    if (llvm::any_of(terms, [&](unsigned i) { return form.factors[i] < 0; }))
      return std::nullopt;
    OpFoldResult offset = affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(results.size(), 0, first),
        getAsOpFoldResult(indices));
    OpFoldResult all = memref::getMixedSize(builder, loc, memref, d);
    AffineExpr whole = getAffineDimExpr(0, context),
               before = getAffineDimExpr(1, context);
    offsets.push_back(offset);
    sizes.push_back(rest == zero
                        ? OpFoldResult(builder.getIndexAttr(1))
                        : affine::makeComposedFoldedAffineApply(
                              builder, loc, whole - before, {all, offset}));
    subscripts.push_back(rest);
  }
  SmallVector<OpFoldResult> strides(offsets.size(), builder.getIndexAttr(1));
  Value part =
      memref::SubViewOp::create(builder, loc, memref, offsets, sizes, strides);
  return std::pair(part, AffineMap::get(terms.size(), 0, subscripts, context));
}

/// Makes the results of `op` iterations, each of which one thread computes.
static void giveResultsIterations(ContractOp op) {
  SmallVector<unsigned> results, terms;
  SmallVector<StringRef> names;
  SmallVector<OpFoldResult> extents = op.getMixedExtents(), termExtents;
  SpaceBounds bounds;
  OpBuilder builder(op);
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (op.isContracted(i)) {
      terms.push_back(i);
      names.push_back(op.getIterator(i));
      termExtents.push_back(extents[i]);
    } else {
      results.push_back(i);
      bounds.upper.push_back(extents[i]);
    }
  if (results.empty())
    return;
  bounds.lower.assign(results.size(), builder.getIndexAttr(0));
  bounds.step.assign(results.size(), builder.getIndexAttr(1));
  bounds.width = bounds.step;
  auto par = ParOp::create(builder, op.getLoc(), bounds,
                           [](OpBuilder &, Location, ValueRange) {});
  builder.setInsertionPoint(par.getBody()->getTerminator());
  SmallVector<Value> parts;
  SmallVector<AffineMap> maps;
  for (auto [memref, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    auto part = buildPart(builder, op.getLoc(), memref, map, results, terms,
                          par.getIndices());
    if (!part) {
      par.erase();
      return;
    }
    parts.push_back(part->first);
    maps.push_back(part->second);
  }
  ValueRange all(parts);
  size_t inputs = op.getInputs().size(), sides = op.getSides().size();
  auto own = ContractOp::create(
      builder, op.getLoc(), names, termExtents, all.take_front(inputs),
      all.slice(inputs, sides), all.drop_front(inputs + sides), maps,
      op.getOverwrite());
  own.takeMeaning(op);
  op.erase();
}

/// Takes contractions out of `par`, and says which. The results of others are
/// iterations of the nest.
static void distribute(ParOp par) {
  Location loc = par.getLoc();
  mergeBand(par);
  std::optional<std::string> obstacle = Distribution(par).run();
  if (!obstacle)
    return;
  auto name = [](StringRef what) {
    return remark::RemarkOpts::name(what).category("tc-distribute");
  };
  if (obstacle->empty())
    remark::passed(loc, name("Distributed"))
        << "its contractions have the indices of the tc.par as iterators";
  else
    remark::missed(loc, name("NotDistributed"))
        << remark::reason("contractions stay in the tc.par: {0}", *obstacle);
  if (obstacle->empty() || isWrittenByHand(par))
    return;
  SmallVector<ContractOp> left;
  par.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto contract = dyn_cast<ContractOp>(op);
        contract && !contract.getScheduleAttr() && hasStridedOperands(contract))
      left.push_back(contract);
    bool isForeign = isa<SumOp>(op) ||
                     (isa<ParOp, ReduceOp, ScanOp>(op) && isWrittenByHand(op));
    return isForeign ? WalkResult::skip() : WalkResult::advance();
  });
  llvm::for_each(left, giveResultsIterations);
}

//===----------------------------------------------------------------------===//
// What comes out
//===----------------------------------------------------------------------===//

/// Makes a loop of nests of the nest of `loop`, its only part.
std::optional<std::string> Distribution::interchange(SeqOp loop) {
  if (std::string obstacle = parts.findObstacle(loop); !obstacle.empty())
    return obstacle;
  parts.giveAllPlaces();
  tc::interchange(par, loop);
  distribute(par);
  return std::nullopt;
}

std::optional<std::string> Distribution::run() {
  for (Operation &op : par.getBody()->without_terminator())
    if (!isToComeOut(&op) && holdsContraction(&op))
      return quoteName(&op) + " holds a contraction";
  if (std::string obstacle = parts.findObstacle(); !obstacle.empty())
    return obstacle;
  if (parts.get().size() == 1) {
    Operation *only = parts.get().front().front();
    if (auto loop = dyn_cast<SeqOp>(only))
      return interchange(loop);
    if (isa<ParOp>(only))
      return "the tc.par in it has a level, or bounds that depend on the index";
  }
  parts.givePlaces();
  DenseMap<Operation *, std::unique_ptr<OuterContraction>> contractions;
  for (const NestParts::Part &part : parts.get())
    if (auto op = dyn_cast<ContractOp>(part.front())) {
      auto outer = std::make_unique<OuterContraction>(par, op);
      if (!outer->getObstacle().empty())
        return outer->getObstacle();
      contractions[op] = std::move(outer);
    }
  OpBuilder builder(par);
  SmallVector<ParOp> nests;
  for (const NestParts::Part &part : parts.get())
    if (auto it = contractions.find(part.front()); it != contractions.end())
      it->second->build(builder);
    else if (ParOp nest = parts.copyWith(part); holdsContraction(nest))
      nests.push_back(nest);
  par.erase();
  llvm::for_each(nests, distribute);
  if (contractions.empty())
    return std::nullopt;
  return "";
}

namespace {
struct DistributePass : tc::impl::DistributeBase<DistributePass> {
  void runOnOperation() override {
    SmallVector<ParOp> nests;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      auto par = dyn_cast<ParOp>(op);
      if (par && holdsContraction(par))
        nests.push_back(par);
      // What a reduction holds, threads of a team run.
      return isa<ParOp, ReduceOp, ScanOp>(op) ? WalkResult::skip()
                                              : WalkResult::advance();
    });
    llvm::for_each(nests, distribute);
  }
};
} // namespace
