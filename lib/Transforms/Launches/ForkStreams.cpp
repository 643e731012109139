//===- ForkStreams.cpp - Streams of their own for independent ops ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A stream begins with a gpu.wait async, its root, and goes on with the one op
// that takes the token before. See Note [Streams of conditions and loops] at
// the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_FORKSTREAMS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

static bool isToken(Value value) {
  return isa<gpu::AsyncTokenType>(value.getType());
}

/// Makes `op`, which gives a token, wait for this one alone.
static void setDependency(Operation *op, Value token) {
  TypeSwitch<Operation *>(op)
      .Case<gpu::AllocOp, gpu::DeallocOp, gpu::LaunchFuncOp, gpu::MemcpyOp,
            gpu::MemsetOp>(
          [&](auto work) { work.getAsyncDependenciesMutable().assign(token); });
}

/// Does the host wait for `token`?
static bool isWaitedForByHost(Value token) {
  return llvm::any_of(token.getUsers(), [](Operation *user) {
    auto wait = dyn_cast<gpu::WaitOp>(user);
    return wait && !wait.getAsyncToken();
  });
}

/// The tokens of outside that `op` uses inside.
static SmallVector<Value> findOuterTokens(Operation *op) {
  llvm::SetVector<Value> values;
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return llvm::filter_to_vector(values, isToken);
}

namespace {
/// The streams of one function.
class StreamForker {
public:
  explicit StreamForker(MLIRContext *context) : builder(context) {}

  void run(Block &block);

private:
  Value start(ValueRange after);
  void setInsertionPointAfter(ArrayRef<Value> tokens, Operation *op);
  Value take(ArrayRef<Value> after, Operation *op);
  void extend(Value before, Value token);
  void visitBranch(scf::IfOp branch);
  void visitLoop(scf::ForOp loop);
  void visitHostWait(gpu::WaitOp wait);
  void giveBack(ArrayRef<Value> roots, Block &block);

  OpBuilder builder;
  llvm::DenseSet<Value> continued;     ///< tokens that some op goes on with
  DenseMap<Value, Value> root, newest; ///< of a token; of a root
  DenseMap<Block *, Value> entries;    ///< tokens that conditions go on with
  llvm::DenseSet<Value> returned;      ///< roots of streams that are given back
  SmallVector<Value> roots;            ///< of this block
};
} // namespace

/// A new stream, after these tokens, where the builder is.
Value StreamForker::start(ValueRange after) {
  auto type = gpu::AsyncTokenType::get(builder.getContext());
  Value token =
      gpu::WaitOp::create(builder, builder.getUnknownLoc(), type, after)
          .getAsyncToken();
  root[token] = newest[token] = token;
  roots.push_back(token);
  return token;
}

/// Goes to where the last of these is given in the block of `op`, which has all
/// of them. A stream that stands for a token is, to who waits for it, all that
/// it has been given by then.
void StreamForker::setInsertionPointAfter(ArrayRef<Value> tokens,
                                          Operation *op) {
  Operation *last = nullptr;
  for (Value token : tokens)
    if (Operation *giver = token.getDefiningOp();
        giver && giver->getBlock() == op->getBlock() &&
        (!last || last->isBeforeInBlock(giver)))
      last = giver;
  auto isFork = [](Operation *next) {
    auto wait = dyn_cast<gpu::WaitOp>(next);
    return wait && wait.getAsyncToken();
  };
  Operation *next = last ? last->getNextNode() : op;
  while (next != op && isFork(next)) // one after the other
    next = next->getNextNode();
  builder.setInsertionPoint(next);
}

/// The token that `op` is to go on with so as to come after these.
Value StreamForker::take(ArrayRef<Value> after, Operation *op) {
  auto canContinue = [&](Value token) {
    bool isHere = token.getParentBlock() == op->getBlock() ||
                  token == entries.lookup(op->getBlock());
    return isHere && root.contains(token) && !isWaitedForByHost(token) &&
           continued.insert(token).second;
  };
  if (after.size() == 1 && canContinue(after.front()))
    return after.front();
  setInsertionPointAfter(after, op);
  Value token = start(after);
  continued.insert(token);
  return token;
}

void StreamForker::extend(Value before, Value token) {
  root[token] = root.lookup(before);
  newest[root[token]] = token;
}

/// Has all that is in `region` come after `before`, as it does now after tokens
/// of outside, or none.
static void comeAfter(Region &region, Value before) {
  auto isOuter = [&](Value value) {
    return isToken(value) && !region.isAncestor(value.getParentRegion());
  };
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (isOuter(operand.get()))
        operand.set(before);
    auto work = dyn_cast<gpu::AsyncOpInterface>(op);
    if (!work || !work.getAsyncToken() ||
        !llvm::all_of(work.getAsyncDependencies(), isOuter))
      return;
    if (!isa<gpu::WaitOp>(op))
      return setDependency(op, before);
    work.getAsyncToken().replaceAllUsesWith(before);
    op->erase();
  });
}

void StreamForker::visitBranch(scf::IfOp branch) {
  Value before = take(findOuterTokens(branch), branch);
  // Each region goes on with it, and gives what it comes to.
  for (Region &region : branch->getRegions()) {
    comeAfter(region, before);
    continued.erase(before);
    for (Block &block : region) {
      entries[&block] = before;
      run(block);
    }
  }
  continued.insert(before);
  for (Value result : branch.getResults())
    if (isToken(result))
      extend(before, result);
}

/// The tokens that a loop carries are streams, which an iteration may hand to
/// the next one in another order.
void StreamForker::visitLoop(scf::ForOp loop) {
  for (auto [init, argument, result] :
       llvm::zip_equal(loop.getInitsMutable(), loop.getRegionIterArgs(),
                       loop.getResults())) {
    if (!isToken(argument))
      continue;
    Value before = take(init.get(), loop);
    init.set(before);
    extend(before, result);
    root[argument] = argument;
  }
  run(*loop.getBody());
}

/// Does an op with regions give `token`? That is no op which ran on the stream,
/// but the stream itself.
static bool isOfRegion(Value token) {
  return isa_and_nonnull<scf::IfOp, scf::ForOp>(token.getDefiningOp());
}

/// Upstream gives back the stream of a token that the host waits for, if it
/// knows where the stream was made.
void StreamForker::visitHostWait(gpu::WaitOp wait) {
  for (Value token : llvm::to_vector(wait.getAsyncDependencies())) {
    Value own = root.lookup(token);
    if (!own || !returned.insert(own).second)
      continue;
    if (isOfRegion(token)) // it is gone after that
      wait.getAsyncDependenciesMutable().append(own);
  }
}

/// Has the host wait, at the end of `block`, for streams that it has not waited
/// for.
void StreamForker::giveBack(ArrayRef<Value> roots, Block &block) {
  Operation *last = block.getTerminator();
  SmallVector<Value> open, ofRegions;
  for (Value own : roots) {
    Value token = newest.lookup(own);
    if (returned.contains(own) ||
        llvm::is_contained(last->getOperands(), token))
      continue;
    returned.insert(own);
    open.push_back(token);
    if (isOfRegion(token))
      ofRegions.push_back(own);
  }
  open.append(ofRegions); // streams that any of the others may be
  builder.setInsertionPoint(last);
  if (!open.empty())
    gpu::WaitOp::create(builder, last->getLoc(), Type(), open);
}

void StreamForker::run(Block &block) {
  SmallVector<Value> outer;
  std::swap(outer, roots);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    auto work = dyn_cast<gpu::AsyncOpInterface>(op);
    auto branch = dyn_cast<scf::IfOp>(op);
    auto loop = dyn_cast<scf::ForOp>(op);
    if (auto wait = dyn_cast<gpu::WaitOp>(op)) {
      if (Value token = wait.getAsyncToken()) {
        root[token] = newest[token] = token;
        roots.push_back(token);
      } else {
        visitHostWait(wait);
      }
    } else if (work && work.getAsyncToken()) {
      Value before = take(llvm::to_vector(work.getAsyncDependencies()), &op);
      setDependency(&op, before);
      extend(before, work.getAsyncToken());
    } else if (branch && llvm::any_of(branch.getResults(), isToken)) {
      visitBranch(branch);
    } else if (loop && llvm::any_of(loop.getResults(), isToken)) {
      visitLoop(loop);
    } else {
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          run(inner);
    }
  }
  giveBack(roots, block);
  std::swap(outer, roots);
}

namespace {
struct ForkStreamsPass : tc::impl::ForkStreamsBase<ForkStreamsPass> {
  void runOnOperation() override {
    StreamForker forker(&getContext());
    for (Block &block : getOperation().getBody())
      forker.run(block);
  }
};
} // namespace

// Note [Streams of conditions and loops]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// To upstream's lowering the token that an scf.if or an scf.for gives is an
// event that the region has made. Our mgpu library is given the stream itself,
// and takes it for all that the stream has been given so far. That is what it
// stands for here, since all that a region does goes on one stream, which is
// made outside; and a loop's iteration on the stream that it gets from one
// before. Such a token does not tell where the stream was made, so the host
// waits for the root of the stream, too, to give it back.
