//===- LowerWith.cpp - Partitions as few kernels --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tc.with becomes one tc.par. See Note [One nest for all partitions].
//
//===----------------------------------------------------------------------===//

#include "Nests/IndexPositions.h"

#include "tc/Analysis/IntegerSystem.h"
#include "tc/Analysis/NestAccess.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"

#include <limits>
#include <vector>

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_LOWERWITH
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// What is known of partitions
//===----------------------------------------------------------------------===//

/// Is `bound` the extent of dimension `d` of one of the arrays?
static bool isExtent(OpFoldResult bound, WithOp with, unsigned d) {
  int64_t extent = with.getStaticShape()[d];
  if (std::optional<int64_t> known = getConstantIntValue(bound))
    return known == extent;
  auto dim = cast<Value>(bound).getDefiningOp<memref::DimOp>();
  return dim && llvm::is_contained(with.getOutputs(), dim.getSource()) &&
         dim.getConstantIndex() == int64_t(d);
}

/// Does `part` contain every index of the arrays, for certain?
static bool coversAll(PartitionOp part, WithOp with) {
  SpaceBounds bounds = part.getBounds();
  for (unsigned d = 0, e = part.getRank(); d != e; ++d)
    if (getConstantIntValue(bounds.lower[d]) != 0 ||
        !isExtent(bounds.upper[d], with, d) ||
        !isEqualConstantIntOrValue(bounds.step[d], bounds.width[d]))
      return false;
  return true;
}

/// Have two partitions no index in common, for certain?
static bool areDisjoint(PartitionOp first, PartitionOp second) {
  NestValues values(first.getContext());
  IntegerSystem system(first.getContext());
  for (auto [a, b] : llvm::zip_equal(first.getIndices(), second.getIndices())) {
    AffineExpr x = values.getDim(a), y = values.getDim(b);
    system.addZero(x - y);
    for (AffineExpr index : {x, y})
      for (AffineExpr condition :
           values.getConditions(cast<AffineDimExpr>(index).getPosition()))
        system.addNonNegative(condition);
  }
  return system.isProvablyEmpty();
}

/// The bounding box of all partitions, if it is static and at least half of it
/// is in one of them.
static std::optional<SpaceBounds> findDenseBox(WithOp with,
                                               ArrayRef<PartitionOp> parts) {
  Builder builder(with.getContext());
  SpaceBounds box;
  std::optional<int64_t> volume = 1, covered = 0;
  for (int64_t d = 0, e = with.getRank(); d != e; ++d) {
    int64_t low = std::numeric_limits<int64_t>::max(), high = 0;
    for (PartitionOp part : parts) {
      int64_t lower = part.getStaticLower()[d],
              upper = part.getStaticUpper()[d];
      if (ShapedType::isDynamic(lower) || ShapedType::isDynamic(upper))
        return std::nullopt;
      low = std::min(low, lower);
      high = std::max(high, upper);
    }
    box.lower.push_back(builder.getIndexAttr(low));
    box.upper.push_back(builder.getIndexAttr(high));
    volume = volume ? llvm::checkedMul(*volume, high - low) : std::nullopt;
  }
  for (PartitionOp part : parts) {
    std::optional<int64_t> count = countIterations(part);
    covered =
        covered && count ? llvm::checkedAdd(*covered, *count) : std::nullopt;
  }
  if (!volume || !covered || *volume / 2 > *covered)
    return std::nullopt;
  box.step.assign(with.getRank(), builder.getIndexAttr(1));
  box.width = box.step;
  return box;
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {
/// The lowering of one tc.with.
class WithLowering {
public:
  explicit WithLowering(WithOp with)
      : with(with), builder(with.getLoc(), OpBuilder(with)) {}

  void run();

private:
  void dropPartitions();
  bool isWhole() const {
    return !defaults.empty() || coversAll(parts.back(), with);
  }
  SpaceBounds getWholeSpace();

  /// A tc.par over `space`; the builder stands in it when `body` is called.
  void buildPar(const SpaceBounds &space,
                function_ref<void(ValueRange indices)> body);
  void buildOverBox(const SpaceBounds &box);
  void buildOverPositions();

  /// Is `index`, which is in the arrays, and in `space` if there is one, in
  /// `part`? Null where that is certain.
  Value buildContains(PartitionOp part, const SpaceBounds *space,
                      ValueRange index);
  /// Is it in any? Null where that is certain.
  Value buildContainsAny(const SpaceBounds &space, ValueRange index);
  /// What the last of `parts` that contains `index`, else `otherwise`, yields.
  SmallVector<Value> buildElements(ArrayRef<PartitionOp> parts,
                                   const SpaceBounds &space, ValueRange index);
  void store(ValueRange elements, ValueRange index);
  void enter(Value condition);
  void explain(const Twine &what);

  WithOp with;
  IndexBuilder builder;
  /// Those that give elements, and what the rest gets; later ones first.
  SmallVector<PartitionOp> parts;
  ValueRange defaults;
};
} // namespace

void WithLowering::explain(const Twine &what) {
  remark::passed(with.getLoc(),
                 remark::RemarkOpts::name("With").category("tc-lower-with"))
      << what.str();
}

/// Leaves those whose elements nobody gives again.
void WithLowering::dropPartitions() {
  defaults = with.getDefaults();
  for (PartitionOp part : with.getPartitions()) {
    if (countIterations(part) == 0)
      continue;
    if (coversAll(part, with)) {
      parts.clear();
      defaults = {};
    }
    parts.insert(parts.begin(), part);
  }
}

SpaceBounds WithLowering::getWholeSpace() {
  SpaceBounds space;
  for (auto [d, extent] : llvm::enumerate(with.getStaticShape())) {
    space.lower.push_back(builder.getIndexAttr(0));
    space.upper.push_back(ShapedType::isDynamic(extent)
                              ? OpFoldResult(memref::DimOp::create(
                                    builder, with.getOutputs().front(), d))
                              : OpFoldResult(builder.getIndexAttr(extent)));
  }
  space.step.assign(with.getRank(), builder.getIndexAttr(1));
  space.width = space.step;
  return space;
}

void WithLowering::buildPar(const SpaceBounds &space,
                            function_ref<void(ValueRange indices)> body) {
  auto par =
      ParOp::create(builder, space, [](OpBuilder &, Location, ValueRange) {});
  builder.setInsertionPoint(par.getBody()->getTerminator());
  body(par.getIndices());
}

void WithLowering::enter(Value condition) {
  auto branch = scf::IfOp::create(builder, condition);
  builder.setInsertionPoint(branch.thenBlock()->getTerminator());
}

Value WithLowering::buildContains(PartitionOp part, const SpaceBounds *space,
                                  ValueRange index) {
  using Predicate = arith::CmpIPredicate;
  SpaceBounds bounds = part.getBounds();
  Value all;
  auto require = [&](Predicate predicate, Value a, Value b) {
    Value holds = builder.createOrFold<arith::CmpIOp>(predicate, a, b);
    all = all ? builder.both(all, holds) : holds;
  };
  for (auto [d, i] : llvm::enumerate(index)) {
    Value lower = builder.get(bounds.lower[d]);
    auto isOfSpace = [&, d = d](SmallVector<OpFoldResult> SpaceBounds::*bound) {
      return space &&
             isEqualConstantIntOrValue((bounds.*bound)[d], (space->*bound)[d]);
    };
    bool isFromFirst = isOfSpace(&SpaceBounds::lower);
    // No index is outside of the arrays.
    if (!isFromFirst && getConstantIntValue(bounds.lower[d]) != 0)
      require(Predicate::sge, i, lower);
    if (!isOfSpace(&SpaceBounds::upper) && !isExtent(bounds.upper[d], with, d))
      require(Predicate::slt, i, builder.get(bounds.upper[d]));
    bool isDense = isEqualConstantIntOrValue(bounds.step[d], bounds.width[d]),
         hasSteps = isFromFirst && isOfSpace(&SpaceBounds::step) &&
                    isOfSpace(&SpaceBounds::width);
    if (isDense || hasSteps)
      continue;
    // Below the lower bound this is any number.
    Value rest = builder.createOrFold<arith::RemUIOp>(
        builder.subtract(i, lower), builder.get(bounds.step[d]));
    require(Predicate::ult, rest, builder.get(bounds.width[d]));
  }
  return all;
}

Value WithLowering::buildContainsAny(const SpaceBounds &space,
                                     ValueRange index) {
  Value any;
  for (PartitionOp part : parts) {
    Value contains = buildContains(part, &space, index);
    if (!contains)
      return {};
    any = any ? builder.createOrFold<arith::OrIOp>(any, contains) : contains;
  }
  return any;
}

SmallVector<Value> WithLowering::buildElements(ArrayRef<PartitionOp> parts,
                                               const SpaceBounds &space,
                                               ValueRange index) {
  if (parts.empty())
    return llvm::to_vector(defaults);
  PartitionOp part = parts.front();
  // Without defaults the space has no index that is in none.
  bool isLast = parts.size() == 1 && defaults.empty();
  Value contains = isLast ? Value() : buildContains(part, &space, index);
  if (!contains)
    return copyRegion(builder, part.getRegion(), index);
  TypeRange types = part.getBody()->getTerminator()->getOperandTypes();
  auto branch =
      scf::IfOp::create(builder, types, contains, /*addElseBlock=*/true);
  auto build = [&](Block *block, function_ref<SmallVector<Value>()> body) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(block);
    scf::YieldOp::create(builder, body());
  };
  build(branch.thenBlock(),
        [&] { return copyRegion(builder, part.getRegion(), index); });
  build(branch.elseBlock(),
        [&] { return buildElements(parts.drop_front(), space, index); });
  return llvm::to_vector_of<Value>(branch.getResults());
}

void WithLowering::store(ValueRange elements, ValueRange index) {
  for (auto [element, output] : llvm::zip_equal(elements, with.getOutputs()))
    memref::StoreOp::create(builder, element, output, index);
}

void WithLowering::buildOverBox(const SpaceBounds &box) {
  buildPar(box, [&](ValueRange index) {
    // Elements that no partition has stay.
    if (Value any = isWhole() ? Value() : buildContainsAny(box, index))
      enter(any);
    store(buildElements(parts, box, index), index);
  });
}

void WithLowering::buildOverPositions() {
  std::vector<IndexPositions> positions;
  SmallVector<Value> ends;
  Value end;
  for (PartitionOp part : parts) {
    IndexPositions own(part.getBounds());
    Value count = builder.get(own.count(builder));
    end = end ? builder.add(end, count) : count;
    ends.push_back(end);
    positions.push_back(std::move(own));
  }
  OpFoldResult one = builder.getIndexAttr(1);
  SpaceBounds line{{OpFoldResult(builder.getIndexAttr(0))},
                   {getAsOpFoldResult(end)},
                   {one},
                   {one}};
  buildPar(line, [&](ValueRange position) {
    Value first = builder.constant(0);
    for (auto [number, part] : llvm::enumerate(parts)) {
      bool isLast = number + 1 == parts.size();
      scf::IfOp branch;
      if (!isLast) {
        Value isOwn = builder.createOrFold<arith::CmpIOp>(
            arith::CmpIPredicate::slt, position.front(), ends[number]);
        branch = scf::IfOp::create(builder, isOwn, /*withElseRegion=*/true);
        builder.setInsertionPoint(branch.thenBlock()->getTerminator());
      }
      SmallVector<Value> index = positions[number].indicesAt(
          builder, builder.subtract(position.front(), first));
      // Later partitions, which come first here, write over this one.
      for (PartitionOp later : ArrayRef(parts).take_front(number))
        if (!areDisjoint(part, later)) {
          Value contains = buildContains(later, nullptr, index);
          enter(
              builder.createOrFold<arith::XOrIOp>(contains, builder.always()));
        }
      store(copyRegion(builder, part.getRegion(), index), index);
      if (isLast)
        break;
      builder.setInsertionPoint(branch.elseBlock()->getTerminator());
      first = ends[number];
    }
  });
}

void WithLowering::run() {
  dropPartitions();
  unsigned count = parts.size();
  if (count == 0 && defaults.empty()) {
    explain("nothing is written: all partitions are empty");
  } else if (count == 0 || isWhole()) {
    explain(llvm::formatv("one nest over the arrays; partitions: {0}", count));
    buildOverBox(getWholeSpace());
  } else if (count == 1) {
    buildOverBox(parts.front().getBounds());
  } else if (std::optional<SpaceBounds> box = findDenseBox(with, parts)) {
    explain(llvm::formatv(
        "one nest over the bounding box of the partitions, which fill at least "
        "half of it; partitions: {0}",
        count));
    buildOverBox(*box);
  } else {
    explain(llvm::formatv(
        "one nest over the concatenated index spaces; partitions: {0}", count));
    buildOverPositions();
  }
  with.erase();
}

namespace {
struct LowerWithPass : tc::impl::LowerWithBase<LowerWithPass> {
  void runOnOperation() override {
    for (WithOp with : collectOps<WithOp>(getOperation()))
      WithLowering(with).run();
  }
};
} // namespace

// Note [One nest for all partitions]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// SaC makes partitions disjoint and adds those that are missing to cover the
// array, seven for a stepped one (Janssen and Scholz, section 2.2), each of
// which is a kernel. Here the arrays are one nest, in which each thread asks
// for the last partition that has its index. The elements of a row are then
// written by neighbouring threads, in full sectors, whichever partition they
// belong to; a kernel for each would write every third element three times.
//
// Without a default, elements that no partition has stay. If partitions fill
// half of their bounding box, the nest is over this box. Else, as where the rim
// of an array is written, it is over the concatenated index spaces: a thread
// finds its partition by comparing, and its index by dividing.
