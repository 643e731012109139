//===- SCFToTCReduce.cpp - Upstream's reductions to tc.reduce -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's loops give values; a tc.reduce stores them. In a nest the threads
// load what was stored. Outside of nests that would be the host, which does not
// reach the memory of the device: there each nest, and each store, that a value
// leads to loads it for itself.
//
//===----------------------------------------------------------------------===//

#include "SCFToTC/SCFToTC.h"

#include "tc/IR/Neutral.h"
#include "tc/IR/Scalars.h"

#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// One value that a loop combines.
struct Folded {
  Value term;        ///< of one iteration
  Value init;        ///< combined once; null for the neutral element
  TypedAttr neutral; ///< null if none is known
  Block *combine;    ///< of two values; null where `kind` says it
  arith::AtomicRMWKind kind = arith::AtomicRMWKind::assign;

  /// The type of partial results: that of the field for sums of narrow numbers.
  Type getAccumulator() const;
  /// Combines two numbers of that type.
  Value build(OpBuilder &builder, Location loc, Value a, Value b) const;
};
} // namespace

/// Is the op that combines, the only one there is, an addition?
static bool isSum(const Folded &one) {
  return one.combine ? isa<arith::AddFOp, arith::AddIOp>(one.combine->front())
                     : one.kind == arith::AtomicRMWKind::addf ||
                           one.kind == arith::AtomicRMWKind::addi;
}

Type Folded::getAccumulator() const {
  return isSum(*this) ? getDefaultAccumulator(term.getType()) : term.getType();
}

Value Folded::build(OpBuilder &builder, Location loc, Value a, Value b) const {
  if (a.getType() != term.getType())
    return addNumbers(builder, loc, a, b);
  if (!combine)
    return arith::getReductionOp(kind, builder, loc, a, b);
  return copyRegion(builder, *combine->getParent(), {a, b}).front();
}

/// The neutral element of a block that is one op on its arguments.
static TypedAttr findNeutral(Block &block) {
  if (!llvm::hasSingleElement(block.without_terminator()))
    return {};
  Operation &op = block.front();
  bool isAll = op.getNumOperands() == 2 && op.getNumResults() == 1 &&
               op.getResult(0) == block.getTerminator()->getOperand(0) &&
               op.getOperand(0) != op.getOperand(1) &&
               llvm::all_of(op.getOperands(), [&](Value value) {
                 return llvm::is_contained(block.getArguments(), value);
               });
  return isAll ? tc::getNeutralElement(&op) : TypedAttr();
}

static SmallVector<Folded> getFolded(scf::ParallelOp op) {
  SmallVector<Folded> all;
  auto reduce = cast<scf::ReduceOp>(op.getBody()->getTerminator());
  for (auto [term, region, init] : llvm::zip_equal(
           reduce.getOperands(), reduce.getReductions(), op.getInitVals())) {
    TypedAttr neutral = findNeutral(region.front()), constant;
    bool isNeutral = neutral && matchPattern(init, m_Constant(&constant)) &&
                     constant == neutral;
    all.push_back({term, isNeutral ? Value() : init, neutral, &region.front()});
  }
  return all;
}

static SmallVector<Folded> getFolded(affine::AffineParallelOp op) {
  SmallVector<Folded> all;
  OpBuilder builder(op);
  for (auto [term, attr] : llvm::zip_equal(
           op.getBody()->getTerminator()->getOperands(), op.getReductions())) {
    auto kind = cast<arith::AtomicRMWKindAttr>(attr).getValue();
    TypedAttr neutral =
        kind == arith::AtomicRMWKind::assign
            ? TypedAttr()
            : getIdentityOf(kind, term.getType(), builder, op.getLoc());
    all.push_back({term, Value(), neutral, nullptr, kind});
  }
  return all;
}

static SmallVector<Folded> getFolded(Operation *op) {
  if (auto loop = dyn_cast<scf::ParallelOp>(op))
    return getFolded(loop);
  return getFolded(cast<affine::AffineParallelOp>(op));
}

//===----------------------------------------------------------------------===//
// Where values lead to
//===----------------------------------------------------------------------===//

/// The outermost op round `op` that becomes a nest, or is one.
static Operation *findNest(Operation *op) {
  Operation *nest = nullptr;
  while ((op = op->getParentOp()))
    if (isParallel(op))
      nest = op;
  return nest;
}

namespace {
/// What the values of a loop of the host lead to.
struct Consumers {
  /// Ops without effects that compute with them, each after its operands.
  llvm::SetVector<Operation *> pure;
  llvm::SetVector<Operation *> stores;
  /// Operands of ops in nests.
  SmallVector<OpOperand *> inNests;
  /// An op that needs a value on the host; null if there is none.
  Operation *host = nullptr;

  explicit Consumers(ValueRange values) {
    for (Value value : values)
      follow(value);
    pure = topologicalSort(pure);
  }

private:
  void follow(Value value);
};
} // namespace

void Consumers::follow(Value value) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (findNest(user)) {
      inNests.push_back(&use);
    } else if (isa<memref::StoreOp>(user)) {
      stores.insert(user);
    } else if (isPure(user) && user->getNumRegions() == 0 &&
               !user->hasTrait<OpTrait::IsTerminator>()) {
      if (pure.insert(user))
        for (Value result : user->getResults())
          follow(result);
    } else {
      host = user;
    }
  }
}

std::string mlir::tc::refuseReduction(Operation *op) {
  for (const Folded &one : getFolded(op))
    if (!one.neutral || !isNumber(one.term.getType()))
      return "no neutral element of what it combines by is known; write a "
             "tc.reduce";
  if (findNest(op))
    return "";
  if (Operation *user = Consumers(op->getResults()).host)
    return ("the host needs its value, for '" + user->getName().getStringRef() +
            "'")
        .str();
  return "";
}

//===----------------------------------------------------------------------===//
// Conversion
//===----------------------------------------------------------------------===//

/// Uses of a loop's values outside of any nest, which load from `buffers`.
static void loadInConsumers(RewriterBase &rewriter, ValueRange values,
                            ValueRange buffers) {
  Consumers consumers(values);
  // The values, and what is computed from them, once more where they are used.
  auto rebuild = [&](Location loc) {
    IRMapping mapping;
    for (auto [value, buffer] : llvm::zip_equal(values, buffers))
      mapping.map(value, memref::LoadOp::create(rewriter, loc, buffer));
    for (Operation *op : consumers.pure)
      rewriter.clone(*op, mapping);
    return mapping;
  };
  DenseMap<Block *, IRMapping> rebuilt;
  for (OpOperand *use : consumers.inNests) {
    Block *block = use->getOwner()->getBlock();
    while (findNest(block->getParentOp()))
      block = block->getParentOp()->getBlock();
    if (!rebuilt.contains(block)) {
      rewriter.setInsertionPointToStart(block);
      rebuilt[block] = rebuild(use->getOwner()->getLoc());
    }
    Value value = rebuilt[block].lookup(use->get());
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(value); });
  }
  for (Operation *store : consumers.stores) {
    rewriter.setInsertionPoint(store);
    ParOp::create(rewriter, store->getLoc(), std::nullopt, {}, {}, {},
                  [&](OpBuilder &, Location loc, ValueRange) {
                    IRMapping mapping = rebuild(loc);
                    rewriter.clone(*store, mapping);
                  });
    rewriter.eraseOp(store);
  }
  for (Operation *op : llvm::reverse(consumers.pure))
    if (op->use_empty())
      rewriter.eraseOp(op);
}

void mlir::tc::convertReduction(RewriterBase &rewriter, ParallelLoop &loop) {
  Operation *op = loop.op;
  Location loc = op->getLoc();
  SmallVector<Folded> all = getFolded(op);
  rewriter.setInsertionPoint(op);
  auto scales = countSteps(rewriter, loop, /*all=*/true);
  SmallVector<Value> buffers, inits;
  for (const Folded &one : all) {
    buffers.push_back(NewOp::create(rewriter, loc,
                                    MemRefType::get({}, one.term.getType()),
                                    TypedAttr(), 0, IntegerAttr()));
    Type type = one.getAccumulator();
    inits.push_back(
        buildNumber(rewriter, loc,
                    type == one.term.getType() ? one.neutral : getZero(type)));
  }
  auto reduce = ReduceOp::create(rewriter, loc, Level::Thread, loop.lower,
                                 loop.upper, inits, /*commutative=*/true);
  reduce.removeLevelAttr();

  auto yield = [&](ValueRange values) {
    YieldOp::create(rewriter, loc, values);
  };
  Block &combine = reduce.getCombine().front();
  rewriter.setInsertionPointToStart(&combine);
  SmallVector<Value> combined;
  for (auto [i, one] : llvm::enumerate(all))
    combined.push_back(one.build(rewriter, loc, combine.getArgument(i),
                                 combine.getArgument(all.size() + i)));
  yield(combined);

  Block &finish = reduce.getFinish().front();
  rewriter.setInsertionPointToStart(&finish);
  for (auto [one, total, buffer] :
       llvm::zip_equal(all, finish.getArguments(), buffers)) {
    Value value = total;
    if (one.init)
      value = one.build(rewriter, loc,
                        convertNumber(rewriter, loc, one.init, total.getType()),
                        total);
    value = convertNumber(rewriter, loc, value, one.term.getType());
    memref::StoreOp::create(rewriter, loc, value, buffer);
  }
  yield({});

  Block &map = reduce.getMap().front(), *body = &op->getRegion(0).front();
  rewriter.setInsertionPointToStart(&map);
  SmallVector<Value> indices =
      buildIndices(rewriter, loc, map.getArguments(), scales);
  yield(llvm::map_to_vector(all, [](const Folded &one) { return one.term; }));
  Operation *terminator = body->getTerminator();
  rewriter.eraseOp(terminator);
  rewriter.inlineBlockBefore(body, map.getTerminator(), indices);
  rewriter.setInsertionPoint(map.getTerminator());
  for (OpOperand &term : map.getTerminator()->getOpOperands())
    term.set(
        convertNumber(rewriter, loc, term.get(),
                      combine.getArgument(term.getOperandNumber()).getType()));

  if (findNest(op)) {
    rewriter.setInsertionPoint(op);
    for (auto [result, buffer] : llvm::zip_equal(op->getResults(), buffers))
      rewriter.replaceAllUsesWith(
          result, memref::LoadOp::create(rewriter, loc, buffer));
  } else {
    loadInConsumers(rewriter, op->getResults(), buffers);
  }
  rewriter.eraseOp(op);
}
