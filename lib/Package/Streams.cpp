//===- Streams.cpp - Tokens as streams of the runtime ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An op goes on with the stream of a token that it has, unless another op has
// done so: then it takes a stream whose work it comes after anyway, or a new
// one. It waits for the events of its other tokens.
//
//===----------------------------------------------------------------------===//

#include "Streams.h"

#include "Products.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/SetVector.h"

#include <vector>

using namespace mlir;

namespace mlir::tc {

/// Of one call; further work comes after some that it need not wait for.
static constexpr size_t kMostStreams = 8;

static bool isToken(Value value) {
  return isa<gpu::AsyncTokenType>(value.getType());
}

/// The streams that a loop carries, as tokens.
static SmallVector<BlockArgument> getCarriedTokens(scf::ForOp loop) {
  return llvm::filter_to_vector(loop.getRegionIterArgs(), isToken);
}

static bool isWork(Operation *op) {
  return isa<gpu::LaunchFuncOp, gpu::MemcpyOp, memref::CopyOp>(op);
}

static bool containsWork(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isWork(inner) ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// The tokens that `op`, or what is inside of it, has from outside.
static SmallVector<Value> findTokens(Operation *op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return llvm::filter_to_vector(used, isToken);
}

static bool isRing(scf::ForOp loop);

/// Is `token` given on as it is: to the next iteration, or round a loop that is
/// all there is in one?
static bool isHandedOn(Value token) {
  return llvm::all_of(token.getUsers(), [](Operation *user) {
    auto inner = dyn_cast<scf::ForOp>(user);
    if (!inner)
      return isa<scf::YieldOp>(user);
    auto works = llvm::make_filter_range(
        *inner->getBlock(), [](Operation &op) { return containsWork(&op); });
    return getCarriedTokens(inner).size() > 1 && isRing(inner) &&
           llvm::hasSingleElement(works) &&
           llvm::all_of(llvm::make_filter_range(inner.getResults(), isToken),
                        [](Value result) { return isHandedOn(result); });
  });
}

/// Does an iteration of `loop` go on with the first of its tokens alone?
static bool isRing(scf::ForOp loop) {
  return llvm::all_of(llvm::drop_begin(getCarriedTokens(loop)), isHandedOn);
}

namespace {
/// A launch, a copy, or a condition or one stream of a loop of them.
struct Work {
  Operation *op; ///< as it is now
  int64_t stream;
  unsigned segment;
  llvm::BitVector before; ///< which come before it, itself among them
  int64_t event = -1;     ///< recorded after it; negative: none
};

/// What a stream was given last.
struct Tail {
  std::optional<unsigned> last; ///< none: nothing, in this block
  unsigned segment = 0;         ///< that it comes after the start of
};

/// The streams of one block. A segment of it begins where the host has waited:
/// all that comes later is to come after what stream 0 has then.
struct BlockStreams {
  explicit BlockStreams(Block &block) : block(block) {}

  Block &block;
  std::vector<Tail> tails{Tail{std::nullopt, 1}};
  unsigned segment = 1;
  Operation *start = nullptr; ///< the segment's, after this op
  int64_t startEvent = -1;
  std::optional<int64_t> selected = 0; ///< none: not known
  llvm::BitVector joined;              ///< what stream 0 comes after
  llvm::BitVector settled;             ///< what all that is to come comes after
};

class StreamAssigner {
public:
  StreamAssigner(func::FuncOp function, Value call)
      : module(function->getParentOfType<ModuleOp>()), call(call),
        builder(function.getContext()) {}

  LogicalResult run(Block &block);
  /// Erases the ops that have been replaced.
  void finish();

private:
  func::FuncOp getRuntimeFunction(StringRef name, unsigned numWords);
  void callRuntime(Location loc, StringRef name, ArrayRef<int64_t> words);
  void callSelect(Location loc, Value stream);
  SmallVector<unsigned> resolve(ValueRange tokens) const;
  void comeAfter(llvm::BitVector &set, unsigned number) const;

  int64_t chooseStream(BlockStreams &streams, ArrayRef<unsigned> after,
                       const llvm::BitVector &before);
  int64_t getEvent(unsigned number);
  int64_t getStartEvent(BlockStreams &streams);
  void select(BlockStreams &streams, int64_t stream, Operation *op);
  unsigned addWork(BlockStreams &streams, Operation *op,
                   ArrayRef<unsigned> after);
  SmallVector<unsigned> addLoop(BlockStreams &streams, scf::ForOp loop);
  void join(BlockStreams &streams, ArrayRef<unsigned> numbers, Operation *op);
  void startSegment(BlockStreams &streams, Operation *after);
  void joinAll(BlockStreams &streams, Operation *op);
  Operation *takeTokensOff(Operation *op, Value stream = Value());
  void carryStreams(scf::ForOp loop, Value stream);
  void takeTokensOffInside(Block &block, Value stream);
  LogicalResult visit(BlockStreams &streams, Operation *op);
  LogicalResult enter(BlockStreams &streams, Operation *op);

  ModuleOp module;
  Value call;
  OpBuilder builder;
  std::vector<Work> work;
  DenseMap<Value, SmallVector<unsigned>> meaning; ///< of tokens
  int64_t numEvents = 0;
  SmallVector<Operation *> gone; ///< to be erased
  SmallVector<Value> numbers;    ///< tokens that become numbers of streams
};
} // namespace

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

func::FuncOp StreamAssigner::getRuntimeFunction(StringRef name,
                                                unsigned numWords) {
  if (auto known = module.lookupSymbol<func::FuncOp>(name))
    return known;
  auto atEnd = OpBuilder::atBlockEnd(module.getBody());
  SmallVector<Type> words(numWords, builder.getIndexType());
  auto function = func::FuncOp::create(atEnd, module.getLoc(), name,
                                       builder.getFunctionType(words, {}));
  function.setPrivate();
  return function;
}

void StreamAssigner::callRuntime(Location loc, StringRef name,
                                 ArrayRef<int64_t> words) {
  SmallVector<Value> arguments{call};
  for (int64_t word : words)
    arguments.push_back(arith::ConstantIndexOp::create(builder, loc, word));
  func::CallOp::create(builder, loc, getRuntimeFunction(name, arguments.size()),
                       arguments);
}

void StreamAssigner::callSelect(Location loc, Value stream) {
  func::CallOp::create(builder, loc, getRuntimeFunction("tcPackageSelect", 2),
                       ValueRange{call, stream});
}

void StreamAssigner::select(BlockStreams &streams, int64_t stream,
                            Operation *op) {
  if (streams.selected == stream)
    return;
  builder.setInsertionPoint(op);
  callSelect(op->getLoc(),
             arith::ConstantIndexOp::create(builder, op->getLoc(), stream));
  streams.selected = stream;
}

/// The event behind a piece of work.
int64_t StreamAssigner::getEvent(unsigned number) {
  Work &one = work[number];
  if (one.event < 0) {
    one.event = numEvents++;
    builder.setInsertionPointAfter(one.op);
    callRuntime(one.op->getLoc(), "tcPackageRecord", {one.stream, one.event});
  }
  return one.event;
}

/// The event before the segment.
int64_t StreamAssigner::getStartEvent(BlockStreams &streams) {
  if (streams.startEvent < 0) {
    streams.startEvent = numEvents++;
    if (streams.start)
      builder.setInsertionPointAfter(streams.start);
    else
      builder.setInsertionPointToStart(&streams.block);
    callRuntime(call.getLoc(), "tcPackageRecord", {0, streams.startEvent});
  }
  return streams.startEvent;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

SmallVector<unsigned> StreamAssigner::resolve(ValueRange tokens) const {
  llvm::SetVector<unsigned> numbers;
  for (Value token : tokens)
    if (auto known = meaning.find(token); known != meaning.end())
      numbers.insert(known->second.begin(), known->second.end());
  return llvm::to_vector(numbers);
}

void StreamAssigner::comeAfter(llvm::BitVector &set, unsigned number) const {
  if (set.size() < work.size())
    set.resize(work.size());
  set |= work[number].before;
}

static bool contains(const llvm::BitVector &set, unsigned number) {
  return number < set.size() && set.test(number);
}

int64_t StreamAssigner::chooseStream(BlockStreams &streams,
                                     ArrayRef<unsigned> after,
                                     const llvm::BitVector &before) {
  std::vector<Tail> &tails = streams.tails;
  for (auto [stream, tail] : llvm::enumerate(tails))
    if (tail.last && llvm::is_contained(after, *tail.last))
      return static_cast<int64_t>(stream);
  for (auto [stream, tail] : llvm::enumerate(tails))
    if (!tail.last || contains(streams.settled, *tail.last) ||
        contains(before, *tail.last))
      return static_cast<int64_t>(stream);
  if (tails.size() != kMostStreams) {
    tails.emplace_back();
    return static_cast<int64_t>(tails.size()) - 1;
  }
  auto *oldest = std::min_element(
      tails.data(), tails.data() + tails.size(),
      [](const Tail &a, const Tail &b) { return *a.last < *b.last; });
  return oldest - tails.data();
}

unsigned StreamAssigner::addWork(BlockStreams &streams, Operation *op,
                                 ArrayRef<unsigned> after) {
  llvm::BitVector before(work.size());
  for (unsigned number : after)
    comeAfter(before, number);
  int64_t stream = chooseStream(streams, after, before);
  Tail &tail = streams.tails[stream];
  bool isAfterStart = llvm::any_of(after, [&](unsigned number) {
    return work[number].segment == streams.segment;
  });
  auto wait = [&](int64_t event) {
    builder.setInsertionPoint(op);
    callRuntime(op->getLoc(), "tcPackageWait", {stream, event});
  };
  if (stream != 0 && tail.segment != streams.segment && !isAfterStart)
    wait(getStartEvent(streams));
  for (unsigned number : after)
    if (work[number].stream != stream)
      wait(getEvent(number));
  if (tail.last) // work that it need not wait for may be among it
    comeAfter(before, *tail.last);
  before.resize(work.size() + 1);
  before.set(work.size());
  tail = {static_cast<unsigned>(work.size()), streams.segment};
  work.push_back({op, stream, streams.segment, std::move(before)});
  unsigned number = work.size() - 1;
  if (stream == 0)
    comeAfter(streams.joined, number);
  return number;
}

/// The work of each stream that `loop` deals iterations out to; of one stream,
/// where its tokens do not go round in a ring.
SmallVector<unsigned> StreamAssigner::addLoop(BlockStreams &streams,
                                              scf::ForOp loop) {
  SmallVector<BlockArgument> carried = getCarriedTokens(loop);
  SmallVector<unsigned> all, after = resolve(findTokens(loop));
  bool isDealt = carried.size() != 1 && isRing(loop);
  for (BlockArgument argument : carried) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    if (all.empty() || isDealt)
      all.push_back(addWork(streams, loop, after));
    builder.setInsertionPoint(loop);
    init->set(arith::ConstantIndexOp::create(builder, loop.getLoc(),
                                             work[all.back()].stream));
  }
  if (!isDealt)
    select(streams, work[all.front()].stream, loop);
  carryStreams(loop, /*stream=*/Value());
  if (isDealt)
    streams.selected.reset();
  return all;
}

/// Has stream 0 wait, before `op`, for these.
void StreamAssigner::join(BlockStreams &streams, ArrayRef<unsigned> numbers,
                          Operation *op) {
  for (unsigned number : numbers) {
    if (!contains(streams.joined, number)) {
      int64_t event = getEvent(number);
      builder.setInsertionPoint(op);
      callRuntime(op->getLoc(), "tcPackageWait", {0, event});
    }
    comeAfter(streams.joined, number);
    comeAfter(streams.settled, number);
  }
}

void StreamAssigner::startSegment(BlockStreams &streams, Operation *after) {
  ++streams.segment;
  streams.start = after;
  streams.startEvent = -1;
  // Stream 0 comes after itself.
  streams.tails.front().segment = streams.segment;
  if (std::optional<unsigned> last = streams.tails.front().last)
    comeAfter(streams.settled, *last);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Is `op` a condition or a loop that gives tokens, and all that it has inside
/// what tc-async makes parts of a graph of?
static bool isCompound(Operation *op) {
  bool hasToken = isa<scf::ForOp>(op)
                      ? llvm::any_of(op->getResults(), isToken)
                      : isa<scf::IfOp>(op) && op->getNumResults() == 1 &&
                            isToken(op->getResult(0));
  if (!hasToken)
    return false;
  return llvm::all_of(op->getRegions(), [](Region &region) {
    return llvm::all_of(region.getOps(), [](Operation &inner) {
      if (isCompound(&inner) || isWork(&inner) || isa<scf::YieldOp>(inner))
        return true;
      auto wait = dyn_cast<gpu::WaitOp>(inner);
      return wait ? wait.getAsyncToken() != nullptr
                  : inner.getNumRegions() == 0 &&
                        llvm::none_of(inner.getResults(), isToken) &&
                        llvm::none_of(inner.getOperands(), isToken);
    });
  });
}

/// Makes the same op without tokens; the op itself stays until all is done, as
/// others have its token.
Operation *StreamAssigner::takeTokensOff(Operation *op, Value stream) {
  if (op->getNumResults() == 0 && llvm::none_of(op->getOperands(), isToken))
    return op;
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    carryStreams(loop, stream);
    return op;
  }
  gone.push_back(op);
  builder.setInsertionPoint(op);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    auto plain = scf::IfOp::create(builder, op->getLoc(), branch.getCondition(),
                                   /*withElseRegion=*/false);
    for (auto [from, to] :
         llvm::zip_equal(op->getRegions(), plain->getRegions())) {
      takeTokensOffInside(from.front(), stream);
      to.takeBody(from);
    }
    return plain;
  }
  auto copy = dyn_cast<gpu::MemcpyOp>(op);
  if (copy)
    return gpu::MemcpyOp::create(builder, op->getLoc(), Type(), ValueRange(),
                                 copy.getDst(), copy.getSrc());
  auto launch = cast<gpu::LaunchFuncOp>(op);
  std::optional<gpu::KernelDim3> clusters;
  if (launch.hasClusterSize())
    clusters = launch.getClusterSizeOperandValues();
  auto plain = gpu::LaunchFuncOp::create(
      builder, op->getLoc(), launch.getKernel(),
      launch.getGridSizeOperandValues(), launch.getBlockSizeOperandValues(),
      launch.getDynamicSharedMemorySize(), launch.getKernelOperands(),
      /*asyncTokenType=*/Type(), /*asyncDependencies=*/ValueRange(), clusters);
  plain->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  return plain;
}

/// The tokens that `loop` carries become numbers of streams. Of several, an
/// iteration has the first one; one alone, or one in a condition, is `stream`.
void StreamAssigner::carryStreams(scf::ForOp loop, Value stream) {
  SmallVector<BlockArgument> carried = getCarriedTokens(loop);
  for (BlockArgument argument : carried) {
    OpOperand *init = loop.getTiedLoopInit(argument);
    if (isToken(init->get()))
      init->set(stream);
    argument.setType(builder.getIndexType());
    numbers.push_back(loop.getTiedLoopResult(argument));
  }
  BlockArgument first = carried.front();
  takeTokensOffInside(*loop.getBody(), first);
  for (OpOperand &yielded : loop.getBody()->getTerminator()->getOpOperands())
    if (isToken(yielded.get()) && !yielded.get().getDefiningOp<scf::ForOp>())
      yielded.set(first);
  if (carried.size() != 1) {
    builder.setInsertionPointToStart(loop.getBody());
    callSelect(loop.getLoc(), first);
  }
}

/// Of all that is in a condition or a loop, which is on one stream.
void StreamAssigner::takeTokensOffInside(Block &block, Value stream) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (isWork(&op) || isCompound(&op))
      takeTokensOff(&op, stream);
    else if (isa<gpu::WaitOp>(op))
      gone.push_back(&op);
    else if (isa<scf::YieldOp>(op) && isa<scf::IfOp>(block.getParentOp()))
      op.setOperands(ValueRange());
  }
}

LogicalResult StreamAssigner::enter(BlockStreams &streams, Operation *op) {
  if (!containsWork(op))
    return success();
  select(streams, 0, op);
  for (Region &region : op->getRegions())
    for (Block &inner : region)
      if (failed(run(inner)))
        return failure();
  startSegment(streams, op);
  return success();
}

LogicalResult StreamAssigner::visit(BlockStreams &streams, Operation *op) {
  SmallVector<Value> tokens = findTokens(op);
  auto loop = dyn_cast<scf::ForOp>(op);
  if (loop && isCompound(op)) {
    SmallVector<unsigned> all = addLoop(streams, loop);
    for (Value result : llvm::make_filter_range(op->getResults(), isToken))
      meaning[result] = all;
    return success();
  }
  if (isWork(op) || isCompound(op)) {
    bool isAsync = op->getNumResults() != 0;
    unsigned number = addWork(streams, op, resolve(tokens));
    select(streams, work[number].stream, op);
    Value stream;
    if (isCompound(op)) {
      builder.setInsertionPoint(op);
      stream = arith::ConstantIndexOp::create(builder, op->getLoc(),
                                              work[number].stream);
    }
    Operation *plain = work[number].op = takeTokensOff(op, stream);
    if (isAsync) {
      meaning[op->getResult(0)] = {number};
      return success();
    }
    join(streams, number, plain->getNextNode());
    startSegment(streams, plain);
    return success();
  }
  if (isa<gpu::WaitOp, gpu::AllocOp, gpu::DeallocOp>(op)) {
    // Memory is there all along; only the order of others is to be kept.
    Value token = cast<gpu::AsyncOpInterface>(op).getAsyncToken();
    SmallVector<unsigned> after = resolve(tokens);
    if (token)
      meaning[token] = after;
    if (!token && !after.empty()) {
      join(streams, after, op);
      startSegment(streams, op);
    }
    return success();
  }
  if (isProductCall(op)) { // on stream 0, after all that it was to wait for
    startSegment(streams, op);
    return success();
  }
  if (op->hasTrait<OpTrait::IsTerminator>())
    joinAll(streams, op);
  if (llvm::any_of(op->getOperands(), isToken) ||
      llvm::any_of(op->getResults(), isToken))
    return op->emitOpError("expected no token of another op in a package");
  return enter(streams, op);
}

void StreamAssigner::joinAll(BlockStreams &streams, Operation *op) {
  for (const Tail &tail : streams.tails)
    if (tail.last)
      join(streams, *tail.last, op);
  select(streams, 0, op);
}

LogicalResult StreamAssigner::run(Block &block) {
  BlockStreams streams(block);
  for (Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(streams, &op)))
      return failure();
  return success();
}

void StreamAssigner::finish() {
  for (Value number : numbers)
    number.setType(builder.getIndexType());
  for (Operation *op : llvm::reverse(gone)) {
    op->dropAllUses();
    op->erase();
  }
}

LogicalResult assignStreams(func::FuncOp function, Value call) {
  StreamAssigner assigner(function, call);
  for (Block &block : function.getBody())
    if (failed(assigner.run(block)))
      return failure();
  assigner.finish();
  return success();
}

} // namespace mlir::tc
