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

#include "Contract/Conditions.h"
#include "Contract/StrideTable.h"
#include "Contract/VectorVariants.h"

#include "tc/IR/IndexBuilder.h"
#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "tc/Analysis/Tiles.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_VARIANTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

namespace {
struct Variant {
  /// May tiles stick out along result iterators, and along contracted ones?
  bool partialResults, partialSteps;
  int64_t index;
  bool vectors = false; ///< are whole and aligned
  /// For what sizes; null where those are no matter.
  VersionAttr version = {};

  /// Of a contraction of static extents the tiles need no name.
  std::string getName(ContractOp op) const {
    static constexpr StringLiteral names[] = {"interior_", "contracted_",
                                              "outer_", "both_"};
    StringRef kind =
        op.hasStaticExtents() ? "" : names[2 * partialResults + partialSteps];
    std::string name =
        (kind + (vectors ? "vectors_i" : "i") + Twine(index)).str();
    return version ? getVersionName(version) + "_" + name : name;
  }
  /// When this variant is right.
  Value buildCondition(OpBuilder &builder, ContractOp op,
                       const Conditions &conditions) const {
    IndexBuilder math(op.getLoc(), builder);
    Value condition = math.always();
    if (!partialResults)
      condition = math.both(condition, conditions.resultsDivide);
    if (!partialSteps)
      condition = math.both(condition, conditions.contractedDivide);
    if (index == 32)
      condition = math.both(condition, conditions.fits32);
    if (vectors)
      condition = math.both(condition, conditions.vectors);
    if (version)
      condition =
          math.both(condition, buildIsBetter(math, op, version, conditions));
    return condition;
  }
};
} // namespace

/// A copy of `op` that says which extents are whole tiles or vectors.
static ContractOp buildVariant(OpBuilder &builder, ContractOp op,
                               Variant variant) {
  IndexBuilder math(op.getLoc(), builder);
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  SmallVector<Value> operands = op.getShapedOperands();
  if (variant.vectors)
    operands = getVectorOperands(builder, op);
  for (auto [i, extent] : llvm::enumerate(extents)) {
    ScheduleAttr schedule = op.getScheduleAttr();
    int64_t factor = 1;
    if (!(op.isContracted(i) ? variant.partialSteps : variant.partialResults))
      factor = getTileFactor(op, schedule, i);
    else if (variant.vectors)
      factor = schedule.getVector(op.getIterator(i));
    if (factor > 1)
      extent = math.asMultiple(extent, factor);
  }
  ContractOp copy = op.cloneWith(builder, extents, operands, op.getMaps());
  if (auto versions = TCDialect::VersionsAttrHelper(op.getContext());
      versions.isAttrPresent(copy))
    versions.removeAttr(copy);
  std::string name = variant.getName(op);
  TCDialect::VariantAttrHelper(op.getContext())
      .setAttr(copy, VariantAttr::get(
                         op.getContext(), builder.getStringAttr(name),
                         variant.index, variant.vectors ? kMaxAccessBytes : 1));
  return copy;
}

static void explain(ContractOp op, StringRef name, const Twine &reason) {
  remark::missed(op.getLoc(),
                 remark::RemarkOpts::name(name)
                     .category("tc-variants")
                     .function(op->getParentOfType<func::FuncOp>().getName()))
      << remark::reason("{0}", reason.str());
}

//===----------------------------------------------------------------------===//
// Static extents
//===----------------------------------------------------------------------===//

/// What 32 bits are too few for in `op`; empty where they are enough, nothing
/// where that is not known.
static std::optional<std::string> findWide(ContractOp op) {
  Operation *before = op->getPrevNode();
  OpBuilder builder(op);
  Conditions conditions = buildConditions(builder, op);
  std::optional<bool> fits = getConstant(conditions.fits32);
  std::string reason;
  APInt bound;
  if (fits == false)
    reason = "an extent, rounded up to whole tiles, is that large";
  if (matchPattern(conditions.blocks, m_ConstantInt(&bound)) &&
      bound.sge(kLimit32))
    reason = llvm::formatv("it has {0} blocks", bound.getSExtValue());
  for (auto [i, span] : llvm::enumerate(conditions.spans))
    if (matchPattern(span, m_ConstantInt(&bound)) && bound.sge(kLimit32))
      reason = llvm::formatv("positions in operand {0}, with tiles that stick "
                             "out, are up to {1}",
                             i, bound.getSExtValue());
  eraseDead(before, op);
  return fits ? std::optional(reason) : std::nullopt;
}

/// Do 32 bits hold every position of `ops`? Says why if not. Nothing where
/// extents, or other numbers that decide it, are dynamic.
static std::optional<bool> fits32(ArrayRef<ContractOp> ops) {
  ContractOp wide;
  std::string tooFewFor;
  for (ContractOp op : ops) {
    std::optional<std::string> reason =
        op.hasStaticExtents() ? findWide(op) : std::nullopt;
    if (!reason)
      return std::nullopt;
    if (!wide && !reason->empty())
      std::tie(wide, tooFewFor) = std::pair(op, *reason);
  }
  if (wide)
    explain(wide, "WideIndices",
            "indices have 64 bits, which are slower: " + tooFewFor +
                ", and 32 bits end at 2147483647");
  return !wide;
}

static ContractGroup getGroup(Operation *outer) {
  if (auto sum = dyn_cast<SumOp>(outer))
    return sum.getTerms();
  return {cast<ContractOp>(outer)};
}

/// Kernels of static extents differ in what they take the buffers to be aligned
/// to, and only where the schedule asks for accesses of several elements.
static SmallVector<ContractGroup>
makeStaticVariants(RewriterBase &rewriter, ContractGroup ops, bool fits) {
  MLIRContext *context = rewriter.getContext();
  auto helper = TCDialect::VariantAttrHelper(context);
  int64_t index = fits ? 32 : 64;
  auto mark = [&](ContractGroup group, StringRef name, int64_t alignment) {
    auto attr = name.empty() ? StringAttr() : StringAttr::get(context, name);
    if (fits || alignment > 1)
      helper.setAttr(group.front(),
                     VariantAttr::get(context, attr, index, alignment));
    return group;
  };
  if (!wantsVectors(ops))
    return {mark(ops, "", 1)};
  Operation *outer = getOuter(ops);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(outer);
  Value aligned = buildAligned(rewriter, ops);
  if (!aligned)
    return {mark(ops, "", kMaxAccessBytes)};
  auto branch = scf::IfOp::create(rewriter, outer->getLoc(), aligned,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
  Operation *copy = rewriter.clone(*outer);
  rewriter.moveOpBefore(outer, branch.elseBlock()->getTerminator());
  return {mark(getGroup(copy), "", kMaxAccessBytes),
          mark(getGroup(outer), "unaligned", 1)};
}

//===----------------------------------------------------------------------===//
// Run-time extents
//===----------------------------------------------------------------------===//

static bool isWanted(ContractOp op, Variant variant, VariantChoice choice) {
  if (variant.index == 32 && choice.indices == IndexVariants::Only64)
    return false;
  // Static extents are tiled as they are.
  bool all = variant.partialResults && variant.partialSteps;
  if (all || op.hasStaticExtents())
    return all;
  bool isInterior = !variant.partialResults && !variant.partialSteps;
  return choice.tiles == TileVariants::Four ||
         (choice.tiles == TileVariants::Two && isInterior);
}

/// The variants to try, the most special first; the last is always right.
/// Vectors go with narrow indices: 2^31 elements are no small problem.
static SmallVector<Variant> getCandidates(ContractOp op, VariantChoice choice,
                                          bool hasVectors) {
  SmallVector<Variant> candidates;
  auto addAll = [&](int64_t width, bool vectors) {
    for (bool results : {false, true})
      for (bool steps : {false, true})
        if (Variant variant{results, steps, width, vectors};
            isWanted(op, variant, choice))
          candidates.push_back(variant);
  };
  if (hasVectors)
    addAll(32, true);
  addAll(32, false);
  addAll(64, false);
  return candidates;
}

namespace {
struct ChosenVariant {
  Variant variant;
  ScheduleAttr schedule;
  Value condition; ///< when it is right, if none before it is
};
} // namespace

/// Adds those of `candidates` that are worth having, of `op` with its schedule.
static void addVariants(OpBuilder &builder, ContractOp op,
                        const Conditions &conditions,
                        ArrayRef<Variant> candidates,
                        SmallVectorImpl<ChosenVariant> &made) {
  auto refuse = [&](Variant variant, const Twine &reason) {
    explain(op, "NoVariant",
            "no variant '" + variant.getName(op) + "': " + reason);
  };
  for (Variant variant : candidates) {
    Value condition = variant.buildCondition(builder, op, conditions);
    if (getConstant(condition) == false)
      refuse(variant, "its condition never holds");
    else if (llvm::any_of(made, [&](const ChosenVariant &earlier) {
               return earlier.condition == condition ||
                      getConstant(earlier.condition) == true;
             }))
      refuse(variant, "an earlier one is right whenever it is");
    else
      made.push_back({variant, op.getScheduleAttr(), condition});
  }
}

/// Is it worth a kernel of its own? Versions have only the fastest kernels,
/// other schedules being for all sizes; those for narrow extents, where tiles
/// stick out most of the time, have that kernel with and without vectors.
static bool isWantedOfVersion(Variant variant, bool hasVectors) {
  if (variant.index != 32)
    return false;
  if (variant.version.getMost().empty())
    return variant.vectors == hasVectors;
  return variant.partialResults && variant.partialSteps;
}

/// The variants to make and their conditions; the last is always right.
static SmallVector<ChosenVariant> choose(OpBuilder &builder, ContractOp op,
                                         VariantChoice choice) {
  SmallVector<ChosenVariant> made;
  ScheduleAttr own = op.getScheduleAttr();
  auto helper = TCDialect::VersionsAttrHelper(op.getContext());
  SmallVector<VersionAttr> versions;
  if (ArrayAttr list = helper.getAttr(op))
    llvm::append_range(versions, list.getAsRange<VersionAttr>());
  for (VersionAttr version : versions) {
    op.setScheduleAttr(version.getSchedule());
    Conditions conditions = buildConditions(builder, op);
    bool hasVectors = bool(conditions.vectors);
    SmallVector<Variant> candidates = getCandidates(op, choice, hasVectors);
    for (Variant &variant : candidates)
      variant.version = version;
    llvm::erase_if(candidates, [&](const Variant &variant) {
      return !isWantedOfVersion(variant, hasVectors);
    });
    addVariants(builder, op, conditions, candidates, made);
  }
  op.setScheduleAttr(own);
  Conditions conditions = buildConditions(builder, op);
  addVariants(builder, op, conditions,
              getCandidates(op, choice, bool(conditions.vectors)), made);
  return made;
}

/// A branch for each variant, the next one in its else.
static SmallVector<ContractGroup> makeRunTimeVariants(RewriterBase &rewriter,
                                                      ContractOp op,
                                                      VariantChoice choice) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Operation *before = op->getPrevNode();
  SmallVector<ChosenVariant> made = choose(rewriter, op, choice);
  SmallVector<ContractGroup> groups;
  Operation *chain = nullptr;
  for (const ChosenVariant &chosen : ArrayRef(made).drop_back()) {
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), chosen.condition,
                                    /*withElseRegion=*/true);
    chain = chain ? chain : branch;
    OpBuilder then = branch.getThenBodyBuilder();
    op.setScheduleAttr(chosen.schedule);
    groups.push_back({buildVariant(then, op, chosen.variant)});
    rewriter.setInsertionPointToStart(branch.elseBlock());
  }
  op.setScheduleAttr(made.back().schedule);
  groups.push_back({buildVariant(rewriter, op, made.back().variant)});
  eraseDead(before, chain ? chain : groups.back().front().getOperation());
  rewriter.eraseOp(op);
  return groups;
}

/// Is there something to decide?
static bool mayHaveVariants(ArrayRef<ContractOp> ops) {
  auto helper = TCDialect::VariantAttrHelper(ops.front()->getContext());
  return llvm::all_of(ops, [&](ContractOp op) {
    return isNormal(op) && op.getSchedule() && !helper.getAttr(op);
  });
}

SmallVector<ContractGroup> mlir::tc::makeVariants(RewriterBase &rewriter,
                                                  ContractGroup ops,
                                                  VariantChoice choice) {
  ContractOp first = ops.front();
  if (!mayHaveVariants(ops))
    return {ops};
  if (std::optional<bool> fits = fits32(ops))
    return makeStaticVariants(rewriter, ops, *fits);
  if (!isa<SumOp>(first->getParentOp()))
    return makeRunTimeVariants(rewriter, first, choice);
  explain(first, "NoVariant", "no variants of a tc.sum of dynamic extents");
  return {ops};
}

namespace {
struct VariantsPass : tc::impl::VariantsBase<VariantsPass> {
  using VariantsBase::VariantsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    for (ContractGroup &group : collectContractions(getOperation()))
      makeVariants(rewriter, group, {tiles, indices});
  }
};
} // namespace
