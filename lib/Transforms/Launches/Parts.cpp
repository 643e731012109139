//===- Parts.cpp - Parts of a graph of device work ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Launches/Parts.h"

#include "tc/IR/TC.h"

using namespace mlir;
using namespace mlir::tc;

remark::RemarkOpts mlir::tc::nameAsyncRemark(StringRef what) {
  return remark::RemarkOpts::name(what).category("tc-async");
}

//===----------------------------------------------------------------------===//
// What is a part
//===----------------------------------------------------------------------===//

bool mlir::tc::hasDeviceWork(Operation *op) {
  return containsOp(*op, isDeviceWork);
}

bool mlir::tc::isIndependent(Operation *op) {
  return isa<scf::ForOp>(op) &&
         TCDialect::IndependentAttrHelper(op->getContext()).isAttrPresent(op);
}

bool mlir::tc::isComputation(Operation &op) {
  return isMemoryEffectFree(&op) && op.getNumRegions() == 0;
}

/// Does each part of `block` wait for the one before it anyway?
static bool isChain(Block &block, HostMemory &memory) {
  std::optional<MemoryUse> last;
  for (Operation &op : block) {
    if (isComputation(op))
      continue;
    MemoryUse use = memory.getUse(&op);
    if (last && !memory.findConflict(*last, use))
      return false;
    last = std::move(use);
  }
  return true;
}

bool mlir::tc::isPart(Operation &op, HostMemory &memory) {
  if (isDeviceWork(&op))
    return true;
  auto loop = dyn_cast<scf::ForOp>(op);
  if (!(loop || isa<scf::IfOp>(op)) || !op.use_empty() || !hasDeviceWork(&op))
    return false;
  // What a loop carries is what hoistBuffers gives it.
  if (loop ? !llvm::all_of(op.getResultTypes(), llvm::IsaPred<MemRefType>)
           : op.getNumResults() != 0)
    return false;
  bool hasPartsAlone = llvm::all_of(op.getRegions(), [&](Region &region) {
    return llvm::all_of(region.getOps(), [&](Operation &inner) {
      return inner.hasTrait<OpTrait::IsTerminator>() || isComputation(inner) ||
             isPart(inner, memory);
    });
  });
  return hasPartsAlone &&
         (!loop || isIndependent(loop) || isChain(*loop.getBody(), memory));
}

SmallVector<scf::ForOp> mlir::tc::getIndependentLoops(scf::ForOp loop) {
  SmallVector<scf::ForOp> loops;
  while (loop && isIndependent(loop)) {
    loops.push_back(loop);
    auto rest = llvm::make_filter_range(
        loop.getBody()->without_terminator(),
        [](Operation &inner) { return !isComputation(inner); });
    loop = llvm::hasSingleElement(rest) ? dyn_cast<scf::ForOp>(*rest.begin())
                                        : scf::ForOp();
  }
  return loops;
}

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

Operation *mlir::tc::rebuildWork(Operation *op, TypeRange types) {
  OpBuilder builder(op);
  Operation *made = Operation::create(
      op->getLoc(), op->getName(), types, op->getOperands(),
      op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
      /*successors=*/BlockRange(), /*numRegions=*/0);
  builder.insert(made);
  op->erase();
  return made;
}

/// One token for what all of these stand for.
static Value joinTokens(OpBuilder &builder, Location loc, ValueRange tokens) {
  if (tokens.size() == 1)
    return tokens.front();
  auto type = gpu::AsyncTokenType::get(builder.getContext());
  return gpu::WaitOp::create(builder, loc, type, tokens).getAsyncToken();
}

static SmallVector<Value> addTokens(Operation *op, ValueRange after,
                                    bool isOfOneStream);

/// Has the parts of `block` come after each other, and after `tokens`.
static SmallVector<Value> chainParts(Block &block, SmallVector<Value> tokens) {
  for (Operation &inner : llvm::make_early_inc_range(block))
    if (hasDeviceWork(&inner))
      tokens = addTokens(&inner, tokens, /*isOfOneStream=*/true);
  return tokens;
}

/// Makes `branch` give the token of its last work.
static Value addTokensInside(scf::IfOp branch, ValueRange after) {
  OpBuilder builder(branch);
  auto made = scf::IfOp::create(builder, branch.getLoc(),
                                gpu::AsyncTokenType::get(branch.getContext()),
                                branch.getCondition(), /*withElseRegion=*/true);
  made->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(branch->getRegions(), made->getRegions())) {
    if (!from.empty())
      to.takeBody(from);
    Block &block = to.front();
    SmallVector<Value> last = chainParts(block, llvm::to_vector(after));
    if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
      block.back().erase();
    builder.setInsertionPointToEnd(&block);
    scf::YieldOp::create(builder, made.getLoc(),
                         joinTokens(builder, made.getLoc(), last));
  }
  branch.erase();
  return made.getResult(0);
}

ValueRange mlir::tc::carryValues(RewriterBase &rewriter,
                                 ArrayRef<scf::ForOp> loops, ValueRange inits,
                                 CarriedBuilder build) {
  scf::ForOp loop = loops.front();
  auto yield = [&](OpBuilder &, Location,
                   ArrayRef<BlockArgument> arguments) -> SmallVector<Value> {
    SmallVector<Value> carried(arguments.begin(), arguments.end());
    if (loops.size() == 1)
      return build(*loop.getBody(), carried);
    return llvm::to_vector(
        carryValues(rewriter, loops.drop_front(), carried, build));
  };
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  rewriter.setInsertionPoint(loop);
  auto made = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, inits, /*replaceInitOperandUsesInLoop=*/false, yield));
  made->setDiscardableAttrs(attributes);
  return made.getResults().take_back(inits.size());
}

size_t mlir::tc::countInFlight(ArrayRef<scf::ForOp> loops) {
  size_t count = 1;
  for (scf::ForOp loop : loops) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    count *= trips ? trips->getLimitedValue(kMostInFlight) : kMostInFlight;
  }
  return std::clamp<size_t>(count, 1, kMostInFlight);
}

/// Makes `loop` carry tokens: one, or one for each iteration in flight, of
/// which an iteration goes on with the oldest.
static SmallVector<Value> addTokensInside(scf::ForOp loop, ValueRange after,
                                          bool isOfOneStream) {
  SmallVector<scf::ForOp> loops = getIndependentLoops(loop);
  if (isOfOneStream || loops.empty())
    loops = {loop};
  size_t inFlight =
      isOfOneStream || !isIndependent(loop) ? 1 : countInFlight(loops);
  if (inFlight != 1)
    remark::passed(loop.getLoc(), nameAsyncRemark("Dealt")) << remark::reason(
        "the iterations are dealt out to {0} streams", inFlight);
  IRRewriter rewriter(loop);
  SmallVector<Value> starts(inFlight,
                            joinTokens(rewriter, loop.getLoc(), after));
  return llvm::to_vector(carryValues(
      rewriter, loops, starts, [](Block &body, ArrayRef<Value> tokens) {
        SmallVector<Value> next(tokens.drop_front());
        next.append(chainParts(body, {tokens.front()}));
        return next;
      }));
}

static SmallVector<Value> addTokens(Operation *op, ValueRange after,
                                    bool isOfOneStream) {
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return {addTokensInside(branch, after)};
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return addTokensInside(loop, after, isOfOneStream);
  op = rebuildWork(op, gpu::AsyncTokenType::get(op->getContext()));
  for (Value token : llvm::reverse(after)) // each goes before the others
    gpu::addAsyncDependency(op, token);
  return {op->getResult(0)};
}

SmallVector<Value> mlir::tc::addTokens(Operation *op, ValueRange after) {
  return ::addTokens(op, after, /*isOfOneStream=*/false);
}
