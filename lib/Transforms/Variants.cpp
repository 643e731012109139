//===- Variants.cpp - Kernels to choose from at run time ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What can be told at compile time is; only the rest becomes a test of the
// host. A condition is a value of type i1 that folding may have made constant.
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"

#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Analysis/Tiles.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_VARIANTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

static std::optional<bool> getConstant(Value condition) {
  APInt value;
  if (matchPattern(condition, m_ConstantInt(&value)))
    return value.isOne();
  return std::nullopt;
}

namespace {
/// Emits arithmetic of the host, folded where it is constant.
struct HostMath {
  OpBuilder &builder;
  Location loc;

  Value get(OpFoldResult value) {
    return getValueOrCreateConstantIndexOp(builder, loc, value);
  }
  Value constant(bool value) {
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(value));
  }
  Value both(Value a, Value b) {
    return builder.createOrFold<arith::AndIOp>(loc, a, b);
  }
  Value add(Value a, Value b) {
    return builder.createOrFold<arith::AddIOp>(loc, a, b);
  }
  Value multiply(Value a, Value b) {
    return builder.createOrFold<arith::MulIOp>(loc, a, b);
  }
  Value magnitude(Value a) {
    Value minus = builder.createOrFold<arith::SubIOp>(
        loc, get(builder.getIndexAttr(0)), a);
    return builder.createOrFold<arith::MaxSIOp>(loc, a, minus);
  }
  Value isEqual(OpFoldResult a, OpFoldResult b) {
    return builder.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::eq,
                                               get(a), get(b));
  }
  Value isBelow(Value a, int64_t limit) {
    return builder.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::slt, a, get(builder.getIndexAttr(limit)));
  }
  /// f(value), for a map of one dimension.
  OpFoldResult apply(AffineExpr expr, OpFoldResult value) {
    return affine::makeComposedFoldedAffineApply(
        builder, loc, AffineMap::get(1, 0, expr), {value});
  }
  AffineExpr d0() { return builder.getAffineDimExpr(0); }
};

/// What decides between the variants of one contraction.
struct Conditions {
  Value resultsDivide;    ///< every result iterator is whole tiles
  Value contractedDivide; ///< every contracted iterator is whole steps
  Value fits32;           ///< 32 bits hold every position and block number
};
} // namespace

/// The bound of |position| over `operand` from the base of its buffer, with
/// tiles that stick out: the magnitudes of all offsets, and of the strides over
/// extents rounded up to tiles.
static Value buildSpan(HostMath &math, Value operand, AffineMap map,
                       ArrayRef<OpFoldResult> roundedUp) {
  Value span = math.get(math.builder.getIndexAttr(0));
  auto view = operand.getDefiningOp<ViewOp>();
  // A normal operand that is no view is a static buffer.
  SmallVector<OpFoldResult> strides;
  if (view) {
    strides = view.getMixedStrides();
  } else {
    auto type = cast<MemRefType>(operand.getType());
    strides = getAsIndexOpFoldResult(type.getContext(),
                                     type.getStridesAndOffset().first);
  }
  for (auto [subscript, stride] : llvm::zip_equal(map.getResults(), strides)) {
    unsigned i = cast<AffineDimExpr>(subscript).getPosition();
    span = math.add(span, math.multiply(math.magnitude(math.get(stride)),
                                        math.get(roundedUp[i])));
  }
  for (; view; view = operand.getDefiningOp<ViewOp>()) {
    span = math.add(span, math.magnitude(math.get(view.getMixedOffset())));
    operand = view.getSource();
  }
  int64_t offset =
      cast<MemRefType>(operand.getType()).getStridesAndOffset().second;
  if (!ShapedType::isDynamic(offset))
    span = math.add(span, math.get(math.builder.getIndexAttr(offset)));
  return span;
}

static Conditions buildConditions(OpBuilder &builder, ContractOp op) {
  HostMath math{builder, op.getLoc()};
  constexpr int64_t limit = int64_t(1) << 31;
  Conditions all{math.constant(true), math.constant(true), math.constant(true)};
  SmallVector<OpFoldResult> roundedUp;
  Value blocks = math.get(builder.getIndexAttr(1));
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents())) {
    int64_t tile = getTileFactor(op, op.getScheduleAttr(), i);
    roundedUp.push_back(math.apply(math.d0().ceilDiv(tile) * tile, extent));
    Value &divides =
        op.isContracted(i) ? all.contractedDivide : all.resultsDivide;
    divides =
        math.both(divides, math.isEqual(math.apply(math.d0() % tile, extent),
                                        builder.getIndexAttr(0)));
    all.fits32 =
        math.both(all.fits32, math.isBelow(math.get(roundedUp.back()), limit));
    if (!op.isContracted(i))
      blocks = math.multiply(
          blocks, math.get(math.apply(math.d0().ceilDiv(tile), extent)));
  }
  all.fits32 = math.both(all.fits32, math.isBelow(blocks, limit));
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps()))
    all.fits32 = math.both(
        all.fits32,
        math.isBelow(buildSpan(math, operand, map, roundedUp), limit));
  return all;
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {
/// The tiles that may stick out of the iteration space.
enum class Tiles { Interior, Contracted, Outer, Both };

struct Variant {
  Tiles tiles;
  int64_t index;

  bool hasPartialResults() const {
    return tiles == Tiles::Outer || tiles == Tiles::Both;
  }
  bool hasPartialSteps() const {
    return tiles == Tiles::Contracted || tiles == Tiles::Both;
  }
  /// Of a contraction of static extents the tiles need no name.
  std::string getName(ContractOp op) const {
    static constexpr StringLiteral names[] = {"interior_", "contracted_",
                                              "outer_", "both_"};
    StringRef kind = op.hasStaticExtents() ? "" : names[unsigned(tiles)];
    return (kind + "i" + Twine(index)).str();
  }
  /// When this variant is right.
  Value buildCondition(OpBuilder &builder, Location loc,
                       const Conditions &conditions) const {
    HostMath math{builder, loc};
    Value condition = math.constant(true);
    if (!hasPartialResults())
      condition = math.both(condition, conditions.resultsDivide);
    if (!hasPartialSteps())
      condition = math.both(condition, conditions.contractedDivide);
    if (index == 32)
      condition = math.both(condition, conditions.fits32);
    return condition;
  }
};
} // namespace

/// A copy of `op` that says which extents are whole tiles.
static void buildVariant(OpBuilder &builder, ContractOp op, Variant variant) {
  HostMath math{builder, op.getLoc()};
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  for (auto [i, extent] : llvm::enumerate(extents)) {
    int64_t tile = getTileFactor(op, op.getScheduleAttr(), i);
    bool partial = op.isContracted(i) ? variant.hasPartialSteps()
                                      : variant.hasPartialResults();
    if (!partial && tile > 1 && isa<Value>(extent))
      extent = math.apply(math.d0().floorDiv(tile) * tile, extent);
  }
  ContractOp copy =
      op.cloneWith(builder, extents, SmallVector<Value>(op.getShapedOperands()),
                   op.getMaps());
  std::string name = variant.getName(op);
  TCDialect::VariantAttrHelper(op.getContext())
      .setAttr(copy,
               VariantAttr::get(op.getContext(), builder.getStringAttr(name),
                                variant.index));
}

/// Erases what folding has left behind between `before` and `after`.
static void eraseDead(Operation *before, Operation *after) {
  for (Operation *op = after->getPrevNode(); op && op != before;) {
    Operation *previous = op->getPrevNode();
    if (isOpTriviallyDead(op))
      op->erase();
    op = previous;
  }
}

bool mlir::tc::chooseStaticVariant(ContractGroup ops) {
  ContractOp first = ops.front();
  auto helper = TCDialect::VariantAttrHelper(first.getContext());
  if (helper.getAttr(first) ||
      !llvm::all_of(ops, [](ContractOp op) { return op.hasStaticExtents(); }))
    return false;
  auto sum = dyn_cast<SumOp>(first->getParentOp());
  Operation *outer = sum ? sum.getOperation() : first.getOperation();
  Operation *before = outer->getPrevNode();
  OpBuilder builder(outer);
  bool known = true, fits = true;
  for (ContractOp op : ops) {
    std::optional<bool> one = getConstant(buildConditions(builder, op).fits32);
    known &= one.has_value();
    fits &= one == true;
  }
  eraseDead(before, outer);
  if (fits)
    helper.setAttr(first, VariantAttr::get(first.getContext(), StringAttr(),
                                           /*index=*/32));
  return known;
}

namespace {
struct VariantsPass : tc::impl::VariantsBase<VariantsPass> {
  using VariantsBase::VariantsBase;

  void runOnOperation() override {
    auto helper = TCDialect::VariantAttrHelper(&getContext());
    SmallVector<ContractGroup> groups = collectContractions(getOperation());
    for (ContractGroup &group : groups) {
      if (!llvm::all_of(group, [&](ContractOp op) {
            return isNormal(op) && op.getSchedule() && !helper.getAttr(op);
          }))
        continue;
      if (chooseStaticVariant(group))
        continue;
      if (isa<SumOp>(group.front()->getParentOp()))
        remark::missed(group.front().getLoc(),
                       remark::RemarkOpts::name("NoVariant")
                           .category(getArgument())
                           .function(getOperation().getName()))
            << remark::reason("no variants of a tc.sum of run-time extents");
      else
        makeVariants(group.front());
    }
  }

  bool wants(ContractOp op, Variant variant) {
    if (variant.index == 32 && indices == IndexVariants::Only64)
      return false;
    // Static extents are tiled as they are.
    if (variant.tiles == Tiles::Both || op.hasStaticExtents())
      return variant.tiles == Tiles::Both;
    return tiles == TileVariants::Four ||
           (tiles == TileVariants::Two && variant.tiles == Tiles::Interior);
  }

  /// The variants to try, the most special first; the last is always right.
  SmallVector<Variant> getCandidates(ContractOp op) {
    SmallVector<Variant> candidates;
    for (int64_t width : {32, 64})
      for (Tiles kind :
           {Tiles::Interior, Tiles::Contracted, Tiles::Outer, Tiles::Both})
        if (wants(op, {kind, width}))
          candidates.push_back({kind, width});
    return candidates;
  }

  void explain(ContractOp op, Variant variant, StringRef reason) {
    remark::missed(op.getLoc(), remark::RemarkOpts::name("NoVariant")
                                    .category(getArgument())
                                    .function(getOperation().getName()))
        << remark::reason("no variant '{0}': {1}", variant.getName(op), reason);
  }

  using Choice = std::pair<Variant, Value>;

  /// The variants to make and their conditions; the last is always right.
  SmallVector<Choice> choose(OpBuilder &builder, ContractOp op) {
    Conditions conditions = buildConditions(builder, op);
    SmallVector<Choice> made;
    for (Variant variant : getCandidates(op)) {
      Value condition =
          variant.buildCondition(builder, op.getLoc(), conditions);
      if (getConstant(condition) == false)
        explain(op, variant, "its condition never holds");
      else if (llvm::any_of(made, [&](const Choice &earlier) {
                 return earlier.second == condition ||
                        getConstant(earlier.second) == true;
               }))
        explain(op, variant, "an earlier one is right whenever it is");
      else
        made.push_back({variant, condition});
    }
    return made;
  }

  /// A branch for each variant, the next one in its else.
  void buildChain(OpBuilder &builder, ContractOp op, ArrayRef<Choice> made) {
    for (auto [variant, condition] : made.drop_back()) {
      auto branch = scf::IfOp::create(builder, op.getLoc(), condition,
                                      /*withElseRegion=*/true);
      OpBuilder then = branch.getThenBodyBuilder();
      buildVariant(then, op, variant);
      builder.setInsertionPointToStart(branch.elseBlock());
    }
    buildVariant(builder, op, made.back().first);
  }

  void makeVariants(ContractOp op) {
    OpBuilder builder(op);
    Operation *before = op->getPrevNode();
    buildChain(builder, op, choose(builder, op));
    eraseDead(before, op);
    op.erase();
  }
};
} // namespace
