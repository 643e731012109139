//===- RaiseFolds.cpp - Loops of a nest that combine to tc.reduce ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nest that is no contraction, but whose iterations each go along rows of
// memory, as a softmax of rows does. By one thread for each iteration, lanes
// read elements that are a row apart; so the loops in it become work for the
// threads of a block: tc.reduce where they combine, tc.par where they do not.
//
//===----------------------------------------------------------------------===//

#include "Graph/Choice.h"
#include "Graph/Raise.h"

#include "tc/IR/Neutral.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <vector>

using namespace mlir;
using namespace mlir::tc;

/// As many terms are work for one thread (tc-lower-reductions).
static constexpr int64_t kFewTerms = 16;

namespace {
/// A value that a loop combines: next = combine(carried, term).
struct FoldedValue {
  Operation *combine;
  Value carried;
  TypedAttr neutral;

  /// The operand that is not carried; of a fused multiply-add a product.
  Value getTerm() const {
    return combine->getOperand(combine->getOperand(0) == carried ? 1 : 0);
  }
};

/// A loop of a nest that the threads of a block may share.
struct RowLoop {
  Operation *op;
  SmallVector<NestRange> ranges;
  SmallVector<FoldedValue> folded; ///< none: it combines nothing, or chooses
  std::optional<Choice> choice;

  bool combines() const { return choice || !folded.empty(); }
};

/// The loops directly in a tc.par, and why they stay, if they do.
class RowNest {
public:
  explicit RowNest(ParOp root) : root(root), values(root.getContext()) {}

  bool match(bool keepOrder, std::string &refusal);
  void rewrite(RewriterBase &rewriter);

private:
  bool addLoop(Operation *op, bool keepOrder, std::string &refusal);
  bool areIndependent(const RowLoop &loop);
  bool rises(const RowLoop &loop, Value term);
  void keepRows(RewriterBase &rewriter);
  void keepRow(RewriterBase &rewriter, Operation *first, Operation *second);
  bool goesAlongRows();
  bool isNear(const NestAccess &access, Value index);

  ParOp root;
  NestValues values;
  std::vector<RowLoop> loops;
};
} // namespace

//===----------------------------------------------------------------------===//
// What combines
//===----------------------------------------------------------------------===//

/// How `next` is made of `carried`; none where that is no known reduction.
static std::optional<FoldedValue> findFolded(Value carried, Value next) {
  Operation *op = next.getDefiningOp();
  if (!op || !carried.hasOneUse() || *carried.user_begin() != op ||
      op->getBlock() != carried.getParentBlock())
    return std::nullopt;
  // A fused multiply-add adds a product.
  if (auto fma = dyn_cast<math::FmaOp>(op)) {
    if (fma.getC() != carried || fma.getA() == carried || fma.getB() == carried)
      return std::nullopt;
    OpBuilder builder(op);
    return FoldedValue{op, carried,
                       getIdentityOf(arith::AtomicRMWKind::addf, next.getType(),
                                     builder, op->getLoc())};
  }
  TypedAttr neutral =
      op->getNumOperands() == 2 ? getNeutralElement(op) : TypedAttr();
  if (!neutral || op->getOperand(0) == op->getOperand(1))
    return std::nullopt;
  return FoldedValue{op, carried, neutral};
}

//===----------------------------------------------------------------------===//
// Which nests
//===----------------------------------------------------------------------===//

/// Is the element that `loop` writes that of its iteration alone, and does it
/// read no other of that buffer?
bool RowNest::areIndependent(const RowLoop &loop) {
  SmallVector<NestAccess> accesses;
  bool areKnown = true;
  loop.op->walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values)) {
      areKnown &= access.isExact && !access.isAtomic && !access.isLinear;
      accesses.push_back(access);
    }
  });
  if (!areKnown)
    return false;
  for (const NestAccess &write : accesses) {
    if (!write.writes)
      continue;
    for (const NestAccess &other : accesses)
      if (!areDistinct(write.buffer, other.buffer) &&
          (write.buffer != other.buffer ||
           write.subscripts != other.subscripts))
        return false;
    for (const NestRange &range : loop.ranges) {
      AffineExpr index = values.trace(range.index);
      bool isAlone = llvm::any_of(write.subscripts, [&](AffineExpr subscript) {
        AffineExpr rest =
            simplifyAffineExpr(subscript - index, values.getNumDims(), 0);
        return llvm::none_of(loop.ranges, [&](const NestRange &own) {
          auto dim = cast<AffineDimExpr>(values.trace(own.index));
          return rest.isFunctionOfDim(dim.getPosition());
        });
      });
      if (!isAlone)
        return false;
    }
  }
  return true;
}

/// What a loop combines, each value by itself; false where it combines values
/// by other than known reductions.
static bool findFolded(Operation *op, bool keepOrder,
                       SmallVectorImpl<FoldedValue> &all) {
  Operation *terminator = op->getRegion(0).front().getTerminator();
  for (auto [carried, next] :
       llvm::zip_equal(getCarried(op), terminator->getOperands())) {
    std::optional<FoldedValue> folded = findFolded(carried, next);
    if (!folded || !isNumber(next.getType()) ||
        (keepOrder && !next.getType().isInteger()))
      return false;
    all.push_back(*folded);
  }
  return true;
}

/// Is `term` the index of the loop, or that and what is the same in all
/// iterations, in a type that holds it?
bool RowNest::rises(const RowLoop &loop, Value term) {
  Type type = term.getType();
  if (loop.ranges.size() != 1 || !isa<IntegerType, IndexType>(type))
    return false;
  auto index = cast<AffineDimExpr>(values.trace(loop.ranges.front().index));
  AffineExpr rest =
      simplifyAffineExpr(values.trace(term) - index, values.getNumDims(), 0);
  unsigned bits = isa<AffineConstantExpr>(rest) ? 32 : 64;
  if (!type.isIndex() && type.getIntOrFloatBitWidth() < bits)
    return false;
  bool isSame = true;
  rest.walk([&](AffineExpr part) {
    auto dim = dyn_cast<AffineDimExpr>(part);
    Value value = dim ? values.getValue(dim.getPosition()) : Value();
    isSame &= !dim || (value && !isInside(loop.op, value));
  });
  return isSame;
}

bool RowNest::addLoop(Operation *op, bool keepOrder, std::string &refusal) {
  if (!isa<SeqOp, scf::ForOp, affine::AffineForOp>(op))
    return false;
  if (auto seq = dyn_cast<SeqOp>(op);
      seq && (seq.getStages() != 1 || seq.getUnroll() != 1))
    return false;
  RowLoop loop{op, getRanges(op), {}, std::nullopt};
  if (loop.ranges.empty())
    return false;
  for (const NestRange &range : loop.ranges)
    if (range.step.value_or(0) <= 0 || !range.width ||
        !isa<AffineDimExpr>(values.trace(range.index)))
      return false;
  Block &body = op->getRegion(0).front();
  if (!findFolded(op, keepOrder, loop.folded)) {
    loop.folded.clear();
    loop.choice = findChoice(
        getCarried(op), body.getTerminator()->getOperands(),
        [&](Value term) { return rises(loop, term); }, refusal);
    if (!loop.choice)
      return false;
  }
  bool hasLoops = llvm::any_of(body, [](Operation &inner) {
    return inner.getNumRegions() > 0 && !isMemoryEffectFree(&inner);
  });
  if (hasLoops || !areIndependent(loop))
    return false;
  loops.push_back(std::move(loop));
  return true;
}

/// Do elements that are next to each other along `index` lie next to each other
/// in memory?
bool RowNest::isNear(const NestAccess &access, Value index) {
  auto dim = cast<AffineDimExpr>(values.trace(index));
  if (access.subscripts.empty())
    return false;
  for (AffineExpr outer : ArrayRef(access.subscripts).drop_back())
    if (outer.isFunctionOfDim(dim.getPosition()))
      return false;
  AffineExpr rest = simplifyAffineExpr(access.subscripts.back() - dim,
                                       values.getNumDims(), 0);
  return !rest.isFunctionOfDim(dim.getPosition());
}

/// Are more accesses of the loops near along them than along the nest?
bool RowNest::goesAlongRows() {
  int64_t along = 0, across = 0;
  for (RowLoop &loop : loops)
    loop.op->walk([&](Operation *op) {
      for (const NestAccess &access : getAccesses(op, values)) {
        along += isNear(access, loop.ranges.back().index);
        across += isNear(access, root.getIndices().back());
      }
    });
  return along > across;
}

bool RowNest::match(bool keepOrder, std::string &refusal) {
  if (root.getLevel() || root.getFull() || root.getMapping() ||
      root.getRank() == 0)
    return false;
  bool combines = false;
  for (Operation &op : root.getBody()->without_terminator()) {
    if (op.getNumRegions() == 0) {
      // Memory of an iteration may be one thread's.
      if (!isa<memref::LoadOp, memref::StoreOp, affine::AffineLoadOp,
               affine::AffineStoreOp>(op) &&
          !isPure(&op))
        return false;
      continue;
    }
    if (auto par = dyn_cast<ParOp>(op)) {
      if (par.getLevel() || par.getFull() || par.getMapping())
        return false;
      continue;
    }
    if (!addLoop(&op, keepOrder, refusal))
      return false;
    bool isShort = countIterations(&op).value_or(kFewTerms + 1) <= kFewTerms;
    combines |= loops.back().combines() && !isShort;
  }
  return combines && goesAlongRows();
}

//===----------------------------------------------------------------------===//
// Rows that one loop stores and another one overwrites
//===----------------------------------------------------------------------===//

/// A row of more bytes stays in global memory.
static constexpr int64_t kMostRowBytes = 16 * 1024;

/// The extent of a loop over one dimension from 0 in steps of 1.
static std::optional<int64_t> getRowExtent(Operation *loop) {
  SmallVector<NestRange> ranges = getRanges(loop);
  if (ranges.size() != 1 || ranges.front().step != 1 ||
      !isZeroInteger(ranges.front().lower))
    return std::nullopt;
  return getConstantIntValue(ranges.front().upper);
}

/// Where `first` stores a row that only `second` reads, element for element,
/// and overwrites, the row need not go to memory.
void RowNest::keepRow(RewriterBase &rewriter, Operation *first,
                      Operation *second) {
  std::optional<int64_t> extent = getRowExtent(first);
  if (!extent || extent != getRowExtent(second))
    return;
  Value before = getRanges(first).front().index,
        after = getRanges(second).front().index;
  first->walk([&](memref::StoreOp store) {
    Type type = store.getValueToStore().getType();
    if (store->getParentOp() != first || !isNumber(type) || *extent < 1 ||
        *extent > kMostRowBytes / getBytes(type))
      return;
    NestAccess kept = getAccesses(store, values).front();
    if (kept.isLinear)
      return;
    SmallVector<AffineExpr> subscripts =
        llvm::map_to_vector(kept.subscripts, [&](AffineExpr subscript) {
          return subscript.replace(values.trace(before), values.trace(after));
        });
    if (subscripts == kept.subscripts)
      return;
    SmallVector<memref::LoadOp> loads;
    bool isOnly = true, isOverwritten = false;
    root.walk([&](Operation *op) {
      for (const NestAccess &access : getAccesses(op, values)) {
        if (op == store || areDistinct(access.buffer, kept.buffer))
          continue;
        isOnly &= op->getParentOp() == second && access.isExact &&
                  access.buffer == kept.buffer && !access.isLinear &&
                  access.subscripts == subscripts && !access.isAtomic;
        isOverwritten |= access.writes;
        if (auto load = dyn_cast<memref::LoadOp>(op); load && !isOverwritten)
          loads.push_back(load);
        else
          isOnly &= access.writes;
      }
    });
    if (!isOnly || !isOverwritten || loads.empty())
      return;
    rewriter.setInsertionPoint(first);
    Value row = NewOp::create(rewriter, store.getLoc(),
                              MemRefType::get({*extent}, type), TypedAttr(),
                              /*threads=*/0, IntegerAttr());
    rewriter.setInsertionPoint(store);
    rewriter.replaceOpWithNewOp<memref::StoreOp>(store, store.getValueToStore(),
                                                 row, before);
    for (memref::LoadOp load : loads) {
      rewriter.setInsertionPoint(load);
      rewriter.replaceOpWithNewOp<memref::LoadOp>(load, row, after);
    }
  });
}

void RowNest::keepRows(RewriterBase &rewriter) {
  SmallVector<Operation *> all;
  for (Operation &op : root.getBody()->without_terminator())
    if (op.getNumRegions() > 0)
      all.push_back(&op);
  for (auto [i, first] : llvm::enumerate(all))
    for (Operation *second : ArrayRef(all).drop_front(i + 1))
      keepRow(rewriter, first, second);
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void buildPar(RewriterBase &rewriter, const RowLoop &loop,
                     ArrayRef<OpFoldResult> lower, ArrayRef<OpFoldResult> upper,
                     ArrayRef<int64_t> step, ArrayRef<int64_t> width) {
  IRMapping mapping;
  auto par = ParOp::create(
      rewriter, loop.op->getLoc(), std::nullopt, lower, upper, step,
      [&](OpBuilder &builder, Location, ValueRange indices) {
        for (auto [range, index] : llvm::zip_equal(loop.ranges, indices))
          mapping.map(range.index, index);
        for (Operation &op : loop.op->getRegion(0).front().without_terminator())
          builder.clone(op, mapping);
      });
  par.setStaticWidth(width);
  rewriter.eraseOp(loop.op);
}

/// Copies into `map` what an iteration computes before it combines; what became
/// of which value.
static IRMapping buildMap(RewriterBase &rewriter, const RowLoop &loop,
                          ReduceOp reduce,
                          function_ref<bool(Operation *)> isCombine) {
  IRMapping mapping;
  for (auto [range, index] :
       llvm::zip_equal(loop.ranges, reduce.getMap().getArguments()))
    mapping.map(range.index, index);
  rewriter.setInsertionPointToEnd(&reduce.getMap().front());
  for (Operation &op : loop.op->getRegion(0).front().without_terminator())
    if (!isCombine(&op))
      rewriter.clone(op, mapping);
  return mapping;
}

/// The regions of a tc.reduce, whose results go to `buffers`.
static void buildRegions(RewriterBase &rewriter, const RowLoop &loop,
                         ReduceOp reduce, ValueRange buffers) {
  Location loc = loop.op->getLoc();
  SmallVector<Value> terms;
  IRMapping mapping = buildMap(rewriter, loop, reduce, [&](Operation *op) {
    return llvm::any_of(
        loop.folded, [&](const FoldedValue &one) { return one.combine == op; });
  });
  for (const FoldedValue &one : loop.folded) {
    if (auto fma = dyn_cast<math::FmaOp>(one.combine))
      terms.push_back(arith::MulFOp::create(
          rewriter, loc, mapping.lookupOrDefault(fma.getA()),
          mapping.lookupOrDefault(fma.getB())));
    else
      terms.push_back(mapping.lookupOrDefault(one.getTerm()));
  }
  YieldOp::create(rewriter, loc, terms);

  auto combine = [&](const FoldedValue &one, Value a, Value b) -> Value {
    if (isa<math::FmaOp>(one.combine))
      return arith::AddFOp::create(rewriter, loc, a, b);
    IRMapping pair;
    pair.map(one.carried, a);
    pair.map(one.getTerm(), b);
    return rewriter.clone(*one.combine, pair)->getResult(0);
  };
  rewriter.setInsertionPointToEnd(&reduce.getCombine().front());
  SmallVector<Value> joined;
  auto pairs = reduce.getCombine().getArguments();
  for (auto [i, one] : llvm::enumerate(loop.folded))
    joined.push_back(combine(one, pairs[i], pairs[i + loop.folded.size()]));
  YieldOp::create(rewriter, loc, joined);

  rewriter.setInsertionPointToEnd(&reduce.getFinish().front());
  for (auto [one, init, total, buffer] :
       llvm::zip_equal(loop.folded, getInits(loop.op),
                       reduce.getFinish().getArguments(), buffers)) {
    TypedAttr constant;
    bool isNeutral =
        matchPattern(init, m_Constant(&constant)) && constant == one.neutral;
    memref::StoreOp::create(
        rewriter, loc, isNeutral ? Value(total) : combine(one, init, total),
        buffer);
  }
  YieldOp::create(rewriter, loc, ValueRange());
}

/// The same of a choice.
static void buildChoiceRegions(RewriterBase &rewriter, const RowLoop &loop,
                               ReduceOp reduce, ValueRange buffers) {
  Location loc = loop.op->getLoc();
  const Choice &choice = *loop.choice;
  ChoiceFold fold(rewriter, loc, choice);
  IRMapping mapping = buildMap(rewriter, loop, reduce, [&](Operation *op) {
    return llvm::is_contained(choice.ops, op);
  });
  SmallVector<Value> terms = llvm::map_to_vector(
      choice.terms, [&](Value term) { return mapping.lookupOrDefault(term); });
  YieldOp::create(rewriter, loc, fold.buildTerm(terms));

  rewriter.setInsertionPointToEnd(&reduce.getCombine().front());
  ValueRange pairs = reduce.getCombine().getArguments();
  size_t count = pairs.size() / 2;
  YieldOp::create(
      rewriter, loc,
      fold.buildCombine(pairs.take_front(count), pairs.drop_front(count)));

  rewriter.setInsertionPointToEnd(&reduce.getFinish().front());
  SmallVector<Value> results =
      fold.buildResults(getInits(loop.op), reduce.getFinish().getArguments());
  for (auto [result, buffer] : llvm::zip_equal(results, buffers))
    memref::StoreOp::create(rewriter, loc, result, buffer);
  YieldOp::create(rewriter, loc, ValueRange());
}

void RowNest::rewrite(RewriterBase &rewriter) {
  keepRows(rewriter);
  for (RowLoop &loop : loops) {
    Location loc = loop.op->getLoc();
    rewriter.setInsertionPoint(loop.op);
    SmallVector<OpFoldResult> lower, upper;
    SmallVector<int64_t> step, width;
    // A constant as one, where it is a value.
    auto fold = [](OpFoldResult bound) {
      auto value = dyn_cast<Value>(bound);
      return value ? getAsOpFoldResult(value) : bound;
    };
    for (const NestRange &range : loop.ranges) {
      lower.push_back(fold(range.lower));
      upper.push_back(fold(range.upper));
      step.push_back(*range.step);
      width.push_back(*range.width);
    }
    if (!loop.combines()) {
      buildPar(rewriter, loop, lower, upper, step, width);
      continue;
    }
    SmallVector<Value> buffers;
    for (Type type : loop.op->getResultTypes())
      buffers.push_back(NewOp::create(rewriter, loc, MemRefType::get({}, type),
                                      TypedAttr(), /*threads=*/0,
                                      IntegerAttr()));
    SmallVector<Value> neutral;
    bool isCommutative = true;
    if (loop.choice) {
      ChoiceFold fold(rewriter, loc, *loop.choice);
      neutral = fold.buildNeutral();
      isCommutative = fold.isCommutative();
    }
    for (const FoldedValue &one : loop.folded)
      neutral.push_back(buildNumber(rewriter, loc, one.neutral));
    auto reduce = ReduceOp::create(rewriter, loc, Level::Block, lower, upper,
                                   neutral, isCommutative);
    reduce.removeLevelAttr(); // tc-lower-reductions chooses it
    reduce.setStaticStep(step);
    reduce.setStaticWidth(width);
    if (loop.choice)
      buildChoiceRegions(rewriter, loop, reduce, buffers);
    else
      buildRegions(rewriter, loop, reduce, buffers);
    rewriter.setInsertionPointAfter(reduce);
    SmallVector<Value> totals;
    for (Value buffer : buffers)
      totals.push_back(memref::LoadOp::create(rewriter, loc, buffer));
    rewriter.replaceOp(loop.op, totals);
  }
}

bool mlir::tc::raiseFolds(RewriterBase &rewriter, Operation *root,
                          bool keepOrder, std::string &refusal) {
  auto par = dyn_cast<ParOp>(root);
  if (!par)
    return false;
  RowNest nest(par);
  if (!nest.match(keepOrder, refusal))
    return false;
  nest.rewrite(rewriter);
  return true;
}
