//===- Async.cpp - Launches and copies as a graph -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops of a block in their order, each after the latest ones before it that
// conflict with it.
//
//===----------------------------------------------------------------------===//

#include "Launches/Parts.h"

#include "tc/IR/TC.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <vector>

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_ASYNC
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

//===----------------------------------------------------------------------===//
// Tokens of one op
//===----------------------------------------------------------------------===//

static void clearDependencies(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case<gpu::LaunchFuncOp, gpu::MemcpyOp, gpu::MemsetOp, gpu::DeallocOp>(
          [](auto work) { work.getAsyncDependenciesMutable().clear(); });
}

/// Device work that the host starts and waits for at once: after a token that
/// stands for nothing, and with one that nobody else waits for.
static bool isWaitedForAtOnce(Operation *op) {
  auto work = cast<gpu::AsyncOpInterface>(op);
  Value token = work.getAsyncToken();
  auto wait = dyn_cast_or_null<gpu::WaitOp>(op->getNextNode());
  if (!token || !token.hasOneUse() || !wait || wait.getAsyncToken() ||
      wait.getAsyncDependencies() != ValueRange(token))
    return false;
  return llvm::all_of(work.getAsyncDependencies(), [](Value value) {
    auto start = value.getDefiningOp<gpu::WaitOp>();
    return start && value.hasOneUse() && start.getAsyncDependencies().empty();
  });
}

/// Takes the tokens off such work.
static void makeSynchronous(Operation *op) {
  SmallVector<Value> starts =
      llvm::to_vector(cast<gpu::AsyncOpInterface>(op).getAsyncDependencies());
  op->getNextNode()->erase();
  clearDependencies(op);
  rebuildWork(op, TypeRange());
  for (Value start : starts)
    start.getDefiningOp()->erase();
}

/// Is an allocation waited for at once, too?
static bool isSettled(Operation *op) {
  if (isa<gpu::WaitOp>(op))
    return true; // with the op that it belongs to
  auto work = dyn_cast<gpu::AsyncOpInterface>(op);
  if (!work || (!work.getAsyncToken() && work.getAsyncDependencies().empty()))
    return !llvm::any_of(op->getResultTypes(),
                         llvm::IsaPred<gpu::AsyncTokenType>);
  return isa<gpu::AllocOp>(op) && isWaitedForAtOnce(op);
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

namespace {
/// A part of a graph that the host has not waited for.
struct Node {
  MemoryUse use;
  llvm::BitVector before; ///< which come before it, itself among them
  SmallVector<Value> tokens;
  bool isWaitedFor = false; ///< by the host
};

/// Does `op`, which is a part, take time?
bool isRun(Operation *op) { return !isa<gpu::DeallocOp>(op); }

/// The work of one block.
class BlockGraph {
public:
  BlockGraph(Block &block, HostMemory &memory) : block(block), memory(memory) {}

  void run();

private:
  SmallVector<unsigned> findLatest(const MemoryUse &use, Operation *op);
  void addNode(Operation *op);
  /// Has the host wait, before `op`, for these.
  void waitFor(ArrayRef<unsigned> numbers, Operation *op);
  void waitForAll(Operation *op);
  void enter(Operation *op);
  void remarkOn(Location loc) const;

  Block &block;
  HostMemory &memory;
  std::vector<Node> nodes;
  unsigned numRuns = 0;  ///< nodes that take time
  unsigned numForks = 0; ///< of these, that do not wait for the one before
};
} // namespace

static std::string describe(const MemoryConflict &conflict) {
  if (!conflict.first)
    return "one of the two may touch any memory";
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto tell = [](bool writes) { return writes ? "writes" : "reads"; };
  stream << "it " << tell(conflict.second->writes) << " what that "
         << tell(conflict.first->writes) << ", of "
         << conflict.first->buffer.getType();
  return text;
}

/// The latest nodes that what does `use` has to come after: none of them comes
/// before another.
SmallVector<unsigned> BlockGraph::findLatest(const MemoryUse &use,
                                             Operation *op) {
  SmallVector<unsigned> latest;
  llvm::BitVector covered(nodes.size());
  for (unsigned i = nodes.size(); i-- != 0;) {
    const Node &node = nodes[i];
    if (node.isWaitedFor || covered[i])
      continue;
    std::optional<MemoryConflict> conflict = memory.findConflict(node.use, use);
    if (!conflict)
      continue;
    latest.push_back(i);
    covered |= node.before;
    remark::analysis(op->getLoc(), nameAsyncRemark("Waits")) << remark::reason(
        "it waits for part {0} of the block: {1}", i, describe(*conflict));
  }
  return SmallVector<unsigned>(llvm::reverse(latest));
}

void BlockGraph::addNode(Operation *op) {
  Node node{{}, llvm::BitVector(nodes.size()), {}};
  gpu::WaitOp start;
  bool takesTime = isRun(op);
  if (!isDeviceWork(op)) {
    // What it uses is looked up in what it is replaced by.
    OpBuilder builder(op);
    start = gpu::WaitOp::create(builder, op->getLoc(),
                                gpu::AsyncTokenType::get(op->getContext()),
                                ValueRange());
    node.tokens = addTokens(op, start.getAsyncToken());
    op = node.tokens.front().getDefiningOp();
  }
  node.use = memory.getUse(op);
  SmallVector<Value> after;
  for (unsigned i : findLatest(node.use, op)) {
    node.before |= nodes[i].before;
    after.append(nodes[i].tokens);
  }
  if (!start)
    node.tokens = addTokens(op, after);
  else if (after.size() == 1)
    start.replaceAllUsesWith(ValueRange(after)), start.erase();
  else
    start.getAsyncDependenciesMutable().assign(after);
  if (takesTime)
    ++numRuns;
  if (takesTime && !nodes.empty() && !node.before.test(nodes.size() - 1) &&
      !nodes.back().isWaitedFor)
    ++numForks;
  node.before.resize(nodes.size() + 1);
  node.before.set(nodes.size());
  nodes.push_back(std::move(node));
}

void BlockGraph::waitFor(ArrayRef<unsigned> numbers, Operation *op) {
  if (numbers.empty())
    return;
  OpBuilder builder(op);
  SmallVector<Value> tokens;
  for (unsigned i : numbers) {
    tokens.append(nodes[i].tokens);
    for (unsigned before : nodes[i].before.set_bits())
      nodes[before].isWaitedFor = true;
  }
  gpu::WaitOp::create(builder, op->getLoc(), Type(), tokens);
}

void BlockGraph::waitForAll(Operation *op) {
  SmallVector<unsigned> latest;
  llvm::BitVector covered(nodes.size());
  for (unsigned i = nodes.size(); i-- != 0;) {
    if (nodes[i].isWaitedFor || covered[i])
      continue;
    latest.push_back(i);
    covered |= nodes[i].before;
  }
  waitFor(SmallVector<unsigned>(llvm::reverse(latest)), op);
}

void BlockGraph::enter(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &inner : region)
      BlockGraph(inner, memory).run();
}

void BlockGraph::remarkOn(Location loc) const {
  if (numForks != 0)
    remark::passed(loc, nameAsyncRemark("Forked"))
        << remark::reason("{0} of the {1} launches and copies of this block do "
                          "not wait for the one before",
                          numForks, numRuns);
  else
    remark::missed(loc, nameAsyncRemark("NotForked")) << remark::reason(
        "each of the {0} launches and copies of this block waits for the one "
        "before",
        numRuns);
}

void BlockGraph::run() {
  hoistBuffers(block, memory);
  llvm::SmallPtrSet<Operation *, 16> parts;
  for (Operation &op : block)
    if (isPart(op, memory))
      parts.insert(&op);
  bool hasSeveral = llvm::count_if(parts, isRun) > 1;
  bool isGraph = hasSeveral || llvm::any_of(parts, llvm::IsaPred<scf::ForOp>);
  for (Operation &op : llvm::make_early_inc_range(block)) {
    // Upstream lowers only launches without tokens.
    bool needsToken = isDeviceWork(&op) && !isa<gpu::LaunchFuncOp>(op);
    if (needsToken || (isGraph && parts.contains(&op))) {
      addNode(&op);
    } else if (op.hasTrait<OpTrait::IsTerminator>()) {
      waitForAll(&op);
    } else if (!isDeviceWork(&op) && hasDeviceWork(&op)) {
      waitForAll(&op);
      if (isIndependent(&op))
        remark::missed(op.getLoc(), nameAsyncRemark("NotDealt"))
            << remark::reason("an iteration has more than launches, copies, "
                              "and buffers of sizes that are known outside");
      enter(&op);
    } else if (!nodes.empty()) {
      waitFor(findLatest(memory.getUse(&op), &op), &op);
    }
  }
  if (hasSeveral)
    remarkOn(block.getParentOp()->getLoc());
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct AsyncPass : tc::impl::AsyncBase<AsyncPass> {
  void runOnOperation() override {
    HostMemory memory(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        runOnFunction(function, memory);
  }

private:
  void runOnFunction(func::FuncOp function, HostMemory &memory);
};
} // namespace

void AsyncPass::runOnFunction(func::FuncOp function, HostMemory &memory) {
  bool hasOtherTokens = containsOp(function, [](Operation *op) {
    return isDeviceWork(op) ? !isSettled(op) && !isWaitedForAtOnce(op)
                            : !isSettled(op);
  });
  if (hasOtherTokens) {
    remark::missed(function.getLoc(), nameAsyncRemark("NotForked"))
        << remark::reason("the function has tokens of its own");
    return;
  }
  SmallVector<Operation *> waiting =
      collectOps<Operation *>(function, [](Operation *op) {
        return isDeviceWork(op) && isWaitedForAtOnce(op);
      });
  for (Operation *op : waiting)
    makeSynchronous(op);
  for (Block &block : function.getBody())
    BlockGraph(block, memory).run();
}
