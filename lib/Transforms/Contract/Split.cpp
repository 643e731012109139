//===- Split.cpp - Parts of a sum, each with its blocks -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule says how a sum is split, or a version of one does, for extents
// that the host asks for. How the parts are computed is in SplitBuffers.cpp.
//
//===----------------------------------------------------------------------===//

#include "Contract/Split.h"

#include "Contract/Conditions.h"
#include "Contract/VectorVariants.h"

#include "tc/Analysis/Split.h"
#include "tc/Analysis/Tiles.h"
#include "tc/IR/IndexBuilder.h"
#include "tc/Target/Limits.h"
#include "tc/Transforms/Passes.h"
#include "tc/Transforms/Transforms.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SPLIT
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// The least extent that gives each part a step; saturating.
static int64_t getLeastExtent(int64_t parts, int64_t step) {
  int64_t least;
  return llvm::MulOverflow(parts, step, least)
             ? std::numeric_limits<int64_t>::max()
             : least;
}

/// Has each part a step? Null where that is known.
static Value buildHasSteps(OpBuilder &builder, ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  Value condition;
  for (const Factor &factor : op.getScheduleAttr().getSplit()) {
    StringRef name = factor.iterator.getValue();
    auto extent = dyn_cast<Value>(op.getMixedExtents()[*op.findIterator(name)]);
    if (!extent)
      continue;
    Value isLong = math.isAtLeast(
        extent,
        getLeastExtent(factor.value, op.getScheduleAttr().getStep(name)));
    condition = condition ? math.both(condition, isLong) : isLong;
  }
  return condition;
}

//===----------------------------------------------------------------------===//
// Schedules and versions
//===----------------------------------------------------------------------===//

/// Replaces `op`, and adds what it becomes to `groups`. `sizes` are those of
/// the terms that combine the parts, if their extents are dynamic.
static LogicalResult replace(RewriterBase &rewriter, ContractOp op,
                             ArrayRef<Division> divisions, MachineAttr machine,
                             ArrayRef<NominalExtents> sizes,
                             SmallVectorImpl<ContractGroup> &groups) {
  FailureOr<ContractParts> buffered = splitIntoBuffers(rewriter, op, divisions);
  if (failed(buffered))
    return failure();
  groups.push_back({buffered->intoBuffers});
  FailureOr<ContractGroup> normal = normalize(rewriter, buffered->fromBuffers);
  if (failed(normal) || failed(schedule(*normal, machine, sizes)))
    return failure();
  // The parts may be many, too.
  FailureOr<SmallVector<ContractGroup>> combining =
      split(rewriter, *normal, machine);
  if (failed(combining))
    return failure();
  llvm::append_range(groups, *combining);
  return success();
}

/// The sizes of what combines `parts`, and of what is left over by parts of so
/// many steps.
static SmallVector<NominalExtents> getSizes(int64_t results, int64_t parts,
                                            int64_t step) {
  constexpr int64_t most = int64_t(1) << 19; // positions remain within 64 bits
  results = std::min(results, most);
  return {{results, std::clamp<int64_t>(parts, 1, most)},
          {results, std::min(step, most)}};
}

/// The extent of each dynamic result iterator of `op` where there are so many
/// results along these, as a power of two.
static int64_t getResultExtent(ContractOp op, double results) {
  int dynamic = 0;
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    dynamic += !op.isContracted(i) && ShapedType::isDynamic(extent);
  double extent = std::pow(results, 1.0 / std::max(dynamic, 1));
  return int64_t(llvm::bit_floor(std::max(uint64_t(extent), uint64_t(1))));
}

/// What the terms that combine the parts of `op` are like, whose version is for
/// `fewest` results along dynamic extents and more: results are midway between
/// these and the most, and parts as many as the most results have. Of more
/// parts threads take several steps, of fewer they would take no whole one, and
/// wait for each term.
static SmallVector<NominalExtents> getCombinedSizes(ContractOp op,
                                                    VersionAttr version,
                                                    int64_t step,
                                                    int64_t fewest) {
  auto below = double(version.getBelow());
  int64_t most = getResultExtent(op, below);
  double parts = double(version.getSchedule().getSplit().front().value);
  for (auto [i, extent] : llvm::enumerate(op.getStaticExtents()))
    if (int64_t known = ShapedType::isDynamic(extent) ? most : extent;
        known > 0 && !op.isContracted(i))
      parts /= double(
          llvm::divideCeil(known, getTileFactor(op, version.getSchedule(), i)));
  return getSizes(getResultExtent(op, std::sqrt(double(fewest) * below)),
                  int64_t(parts), step);
}

/// Says which kernel `op` is: one of indices of 32 bits.
static void setVariant(ContractOp op, VersionAttr version, bool vectors) {
  std::string name =
      getVersionName(version) + (vectors ? "_split_vectors_i32" : "_split_i32");
  TCDialect::VariantAttrHelper(op.getContext())
      .setAttr(op, VariantAttr::get(op.getContext(),
                                    StringAttr::get(op.getContext(), name), 32,
                                    vectors ? kMaxAccessBytes : 1));
}

/// Adds a kernel for where vectors of `op` are whole and aligned; null where
/// that is no matter.
static ContractOp addVectors(RewriterBase &rewriter, ContractOp op,
                             VersionAttr version) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  Value vectors = buildVectorCondition(rewriter, op);
  if (!vectors || getConstant(vectors) == false)
    return {};
  auto branch = scf::IfOp::create(rewriter, op.getLoc(), vectors,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  ContractOp wide = buildVectorCopy(rewriter, op);
  setVariant(wide, version, /*vectors=*/true);
  rewriter.moveOpBefore(op, branch.elseBlock()->getTerminator());
  return wide;
}

/// Makes one of two branches of the host: where `version` of `op`, which splits
/// a sum, is better, for `fewest` results or more, and none of `earlier`. The
/// other one has `op`.
static LogicalResult splitVersion(RewriterBase &rewriter, ContractOp op,
                                  VersionAttr version, int64_t fewest,
                                  ArrayRef<VersionAttr> earlier,
                                  MachineAttr machine,
                                  SmallVectorImpl<ContractGroup> &groups) {
  const Factor &split = version.getSchedule().getSplit().front();
  int64_t step = version.getSchedule().getStep(split.iterator.getValue());
  ScheduleAttr own = op.getScheduleAttr();
  op.setScheduleAttr(version.getSchedule());
  IndexBuilder math(op.getLoc(), rewriter);
  Operation *before = op->getPrevNode();
  Conditions conditions = buildConditions(rewriter, op);
  Value condition = buildIsBetter(math, op, version, conditions);
  for (VersionAttr other : earlier)
    condition = math.both(
        condition, math.negate(buildIsBetter(math, op, other, conditions)));
  unsigned iterator = *op.findIterator(split.iterator.getValue());
  Value extent = math.get(op.getMixedExtents()[iterator]);
  condition = math.both(condition, math.isAtLeast(extent, step));
  condition = math.both(condition, conditions.fits32);
  if (getConstant(condition) == false) {
    op.setScheduleAttr(own);
    eraseDead(before, op);
    return success();
  }
  auto branch = scf::IfOp::create(rewriter, op.getLoc(), condition,
                                  /*withElseRegion=*/true);
  eraseDead(before, branch);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(branch.thenBlock());
  auto copy = cast<ContractOp>(rewriter.clone(*op));
  setVariant(copy, version, /*vectors=*/false);
  TCDialect::VersionsAttrHelper(op.getContext()).removeAttr(copy);
  rewriter.setInsertionPoint(copy);
  IndexBuilder inBranch(op.getLoc(), rewriter);
  Value most = inBranch.createOrFold<arith::CeilDivSIOp>(
      inBranch.constant(split.value),
      inBranch.createOrFold<arith::MaxSIOp>(conditions.blocks,
                                            inBranch.constant(1)));
  SmallVector<Division> divisions =
      divideByExtents(rewriter, copy, getAsOpFoldResult(most));
  size_t parts = groups.size();
  if (failed(replace(rewriter, copy, divisions, machine,
                     getCombinedSizes(op, version, step, fewest), groups)))
    return failure();
  if (ContractOp wide = addVectors(rewriter, groups[parts].front(), version))
    groups.push_back({wide});
  op.setScheduleAttr(own);
  rewriter.moveOpBefore(op, branch.elseBlock()->getTerminator());
  return success();
}

/// As those of the versions of `op` say that split a sum; others stay.
static LogicalResult splitVersions(RewriterBase &rewriter, ContractOp op,
                                   MachineAttr machine,
                                   SmallVectorImpl<ContractGroup> &groups) {
  auto helper = TCDialect::VersionsAttrHelper(op.getContext());
  SmallVector<VersionAttr> others;
  int64_t fewest = 1;
  for (auto version : helper.getAttr(op).getAsRange<VersionAttr>()) {
    rewriter.setInsertionPoint(op);
    // tc-schedule has not seen what a program brings to this pass alone.
    if (auto problem = findVersionSplitProblem(op, version))
      return op.emitOpError(*problem);
    if (!isSplit(version.getSchedule()))
      others.push_back(version);
    else if (failed(splitVersion(rewriter, op, version, fewest, others, machine,
                                 groups)))
      return failure();
    if (version.getMost().empty())
      fewest = version.getBelow();
  }
  if (others.empty())
    helper.removeAttr(op);
  else
    helper.setAttr(op, rewriter.getArrayAttr(SmallVector<Attribute>(
                           others.begin(), others.end())));
  groups.push_back({op});
  return success();
}

FailureOr<SmallVector<ContractGroup>> mlir::tc::split(RewriterBase &rewriter,
                                                      ContractGroup ops,
                                                      MachineAttr machine) {
  ContractOp op = ops.front();
  SmallVector<ContractGroup> groups;
  OpBuilder::InsertionGuard guard(rewriter);
  if (!isSplit(op.getScheduleAttr())) {
    if (!TCDialect::VersionsAttrHelper(op.getContext()).isAttrPresent(op))
      return SmallVector<ContractGroup>{ops};
    if (failed(splitVersions(rewriter, op, machine, groups)))
      return failure();
    return groups;
  }
  rewriter.setInsertionPoint(op);
  if (Value condition = buildHasSteps(rewriter, op)) {
    auto branch = scf::IfOp::create(rewriter, op.getLoc(), condition,
                                    /*withElseRegion=*/true);
    OpBuilder otherwise = branch.getElseBodyBuilder();
    auto whole = cast<ContractOp>(otherwise.clone(*op));
    whole.setScheduleAttr(op.getScheduleAttr().dropSplit());
    groups.push_back({whole});
    rewriter.setInsertionPointToStart(branch.thenBlock());
  }
  SmallVector<NominalExtents> sizes;
  ArrayRef<Factor> list = op.getScheduleAttr().getSplit();
  if (StringRef name = list.front().iterator.getValue();
      list.size() == 1 &&
      ShapedType::isDynamic(op.getStaticExtents()[*op.findIterator(name)])) {
    sizes = getSizes(estimateExtent(op), list.front().value,
                     op.getScheduleAttr().getStep(name));
  }
  if (failed(replace(rewriter, op, divideByExtents(rewriter, op), machine,
                     sizes, groups)))
    return failure();
  return groups;
}

namespace {
struct SplitPass : tc::impl::SplitBase<SplitPass> {
  using SplitBase::SplitBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    for (ContractGroup &ops : collectContractions(getOperation()))
      if (ops.front().getSchedule() && isNormal(ops.front()) &&
          failed(split(rewriter, ops, *machine)))
        return signalPassFailure();
  }
};
} // namespace
