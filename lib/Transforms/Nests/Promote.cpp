//===- Promote.cpp - A memory space for every buffer ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer belongs to an iteration of the tc.par round it. Where that is run by
// one thread, or each thread has its own part, the buffer is the thread's:
// registers, if it is small. Where a team runs it, the buffer is shared, as
// long as there is shared memory for it. All else lies in global memory.
//
//===----------------------------------------------------------------------===//

#include "Nests/ThreadParts.h"

#include "tc/Transforms/Passes.h"

#include "tc/Algebra/Strategies.h"
#include "tc/Analysis/NestAccess.h"
#include "tc/IR/Scalars.h"
#include "tc/IR/TC.h"
#include "tc/Target/Machine.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_PROMOTE
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Gives `buffer`, and all views of it, the memory of `space`.
static void placeIn(Attribute space, Value buffer) {
  buffer.setType(MemRefType::Builder(cast<MemRefType>(buffer.getType()))
                     .setMemorySpace(space));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1 &&
        isa<MemRefType>(user->getResult(0).getType()))
      placeIn(space, user->getResult(0));
}

/// Does each thread that uses the buffer have a part of its own? Warps that
/// compute with tensor instructions take those of their threads together.
static bool isOfThreads(NewOp buffer) {
  auto isOfWarp = [](Operation *user) {
    auto contract = dyn_cast<ContractOp>(user);
    return contract && contract.isOfWarp();
  };
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    size_t threads = getThreadIndices(user).size();
    return threads > 0 && (threads == buffer.getThreads() ||
                           llvm::any_of(user->getUsers(), isOfWarp));
  });
}

namespace {
/// Where a buffer lies, and why.
struct Place {
  gpu::AddressSpace space;
  std::string reason;
};
/// The buffers that are placed here, in the order of the program.
using Places = llvm::MapVector<Operation *, Place>;
} // namespace

/// Why the blocks of a cluster cannot have a row each of `buffer`, which is all
/// of theirs; empty if they can.
static std::string refuseRows(NewOp buffer, ParOp owner) {
  int64_t blocks = 1;
  owner.walk([&](ParOp cluster) {
    if (cluster.getLevel() != Level::Cluster)
      return;
    blocks = std::max(blocks, countIterations(cluster).value_or(1));
  });
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getRank() == 0 || type.getShape()[0] != blocks)
    return llvm::formatv("its first dimension does not number the {0} blocks "
                         "of the cluster",
                         blocks);
  if (Operation *user = findUnplacedUser(buffer.getResult()))
    return llvm::formatv("'{0}' uses it", user->getName());
  return "";
}

/// The place of a buffer of an iteration of `owner`.
static Place choosePlace(NewOp buffer, ParOp owner) {
  bool isTeam = owner.isOfBlocks() || owner.getMemberThreads() > 1;
  bool isSplit =
      owner.isOfBlocks() && !owner.hasClusters() && isOfThreads(buffer);
  if (owner.hasClusters()) {
    std::string reason = refuseRows(buffer, owner);
    if (!reason.empty())
      return {gpu::AddressSpace::Global, reason};
    return {gpu::AddressSpace::Workgroup,
            "each block of the cluster has a row of it"};
  }
  if (isTeam && !isSplit)
    return {gpu::AddressSpace::Workgroup, "several threads use it"};
  auto type = cast<MemRefType>(buffer.getType());
  ArrayRef<int64_t> own = type.getShape().drop_front(buffer.getThreads());
  auto bytes = countBufferBytes(MemRefType::get(own, type.getElementType()));
  if (int64_t most = Machine().localBytesPerThread; !bytes || *bytes > most)
    return {gpu::AddressSpace::Global,
            llvm::formatv("a thread has at most {0} bytes of its own", most)};
  return {gpu::AddressSpace::Private, isSplit
                                          ? "each thread uses a part of its own"
                                          : "one thread runs what is round it"};
}

static void place(NewOp buffer, Place chosen, Places &places) {
  placeIn(gpu::AddressSpaceAttr::get(buffer.getContext(), chosen.space),
          buffer.getResult());
  places[buffer] = std::move(chosen);
}

static void explain(Operation *buffer, const Place &place) {
  remark::analysis(buffer->getLoc(),
                   remark::RemarkOpts::name("Memory").category("tc-promote"))
      << remark::reason("the buffer lies in {0} memory: {1}",
                        gpu::stringifyAddressSpace(place.space), place.reason);
}

//===----------------------------------------------------------------------===//
// Buffers of a function
//===----------------------------------------------------------------------===//

/// Makes a buffer outside of any tc.par one of global memory, which lasts from
/// kernel to kernel, and fills it by a kernel.
static LogicalResult placeOnDevice(NewOp buffer) {
  OpBuilder builder(buffer);
  Location loc = buffer.getLoc();
  auto type = cast<MemRefType>(buffer.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (type.getMemorySpace() &&
      (!space || space.getValue() != gpu::AddressSpace::Global))
    return buffer.emitOpError("expected global memory outside of any tc.par, "
                              "got ")
           << type;
  placeIn(Attribute(), buffer.getResult());
  Value memory =
      memref::AllocOp::create(builder, loc, cast<MemRefType>(buffer.getType()));
  if (TypedAttr init = buffer.getInitAttr()) {
    SmallVector<OpFoldResult> lower, upper;
    for (int64_t size : type.getShape()) {
      lower.push_back(builder.getIndexAttr(0));
      upper.push_back(builder.getIndexAttr(size));
    }
    SmallVector<int64_t> ones(type.getRank(), 1);
    ParOp::create(builder, loc, Level::Device, lower, upper, ones,
                  [&](OpBuilder &body, Location, ValueRange index) {
                    Value value = buildNumber(body, loc, init);
                    memref::StoreOp::create(body, loc, value, memory, index);
                  });
  }
  explain(buffer,
          {gpu::AddressSpace::Global, "it lasts from kernel to kernel"});
  buffer.replaceAllUsesWith(memory);
  buffer.erase();
  return success();
}

//===----------------------------------------------------------------------===//
// Shared memory that is used again
//===----------------------------------------------------------------------===//

/// Below so many bytes shared memory does not limit how many blocks a
/// multiprocessor holds (228 KiB for 16 of them, CUDA programming guide), and a
/// barrier would cost more than it saves.
static constexpr int64_t kFreeBytes = 14 * 1024;

namespace {
/// A shared buffer of a block, and the ops of the block from its first use to
/// its last, by their place.
struct LiveBuffer {
  NewOp op;
  int64_t begin, end, bytes;
};
} // namespace

/// Widens `live` by the uses of `value`. A use in a loop that the buffer is not
/// in lasts as long as the loop.
static void
addUses(Value value, LiveBuffer &live,
        const DenseMap<Operation *, std::pair<int64_t, int64_t>> &places) {
  for (Operation *user : value.getUsers()) {
    Operation *outermost = user;
    for (Operation *op = user; op != live.op->getParentOp();
         op = op->getParentOp())
      outermost = op;
    auto [begin, end] = places.lookup(outermost);
    live.begin = std::min(live.begin, begin);
    live.end = std::max(live.end, end);
    if (isa<ViewLikeOpInterface>(user))
      addUses(user->getResult(0), live, places);
  }
}

/// Threads of a block that runs `grid`, as far as is known before tc-map.
static int64_t countThreads(ParOp grid) {
  int64_t threads = 1;
  grid.walk([&](ParOp op) {
    if (op.getLevel() != Level::Block)
      return;
    bool isAsked = op.getFull() || op.getMappingAttr();
    int64_t most = isAsked ? LaunchLimits().blockThreads : kUsualThreads;
    int64_t perMember = op.getMemberThreads();
    int64_t members =
        std::min(countIterations(op).value_or(most), most / perMember);
    threads = std::max(threads, members * perMember);
  });
  return threads;
}

/// Bytes of shared memory that `op` needs in a block of `threads`: a tc.new for
/// each team, a tc.stage for each step that copies run ahead. As many as an
/// integer holds where they are more; 0 of other ops.
static int64_t countSharedBytes(Operation *op, int64_t threads) {
  if (!isa<NewOp, StageOp>(op))
    return 0;
  auto type = cast<MemRefType>(op->getResult(0).getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return 0;
  int64_t copies = 1;
  auto owner = op->getParentOfType<ParOp>();
  if (auto steps = dyn_cast<SeqOp>(op->getParentOp()); isa<StageOp>(op))
    copies = steps ? steps.getStages() : 1;
  else if (!owner.isOfBlocks())
    copies = std::max<int64_t>(threads / owner.getMemberThreads(), 1);
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  int64_t bytes = countBufferBytes(type).value_or(most);
  // Each block of a cluster has a row.
  if (owner.hasClusters() && type.getRank() > 0 && type.getShape()[0] > 0)
    bytes /= type.getShape()[0];
  return llvm::checkedMul(bytes, copies).value_or(most);
}

/// Gives buffers that do not live at the same time a slot.
static void shareMemory(ParOp grid, int64_t threads) {
  // Places in the order of the program; an op with regions spans those inside.
  DenseMap<Operation *, std::pair<int64_t, int64_t>> places;
  int64_t place = 0, slots = 0, bytes = 0;
  grid.walk<WalkOrder::PreOrder>([&](Operation *op) {
    places[op] = {place, place};
    ++place;
  });
  grid.walk([&](Operation *op) {
    if (Operation *parent = op->getParentOp(); op != grid)
      places[parent].second =
          std::max(places[parent].second, places[op].second);
    slots = std::max(slots, getSlot(op).value_or(-1) + 1);
  });
  SmallVector<LiveBuffer> buffers;
  grid.walk<WalkOrder::PreOrder>([&](NewOp op) {
    auto type = cast<MemRefType>(op.getType());
    if (op->getParentOfType<ParOp>() != grid || op.getSlot() ||
        !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return;
    LiveBuffer live{op, place, -1, countSharedBytes(op, threads)};
    if (op.getInit())
      live.begin = live.end = places.lookup(op).first;
    addUses(op.getResult(), live, places);
    bytes = llvm::SaturatingAdd<uint64_t>(bytes, live.bytes);
    buffers.push_back(live);
  });
  if (bytes <= kFreeBytes)
    return;
  // First come, first served: the buffer that ended last among those that fit.
  SmallVector<LiveBuffer *> last;
  for (LiveBuffer &live : buffers) {
    auto free = llvm::find_if(
        last, [&](LiveBuffer *other) { return other->end < live.begin; });
    if (free == last.end()) {
      last.push_back(&live);
      continue;
    }
    Builder builder(live.op.getContext());
    if (!(*free)->op.getSlot())
      (*free)->op.setSlotAttr(builder.getI64IntegerAttr(slots++));
    live.op.setSlotAttr((*free)->op.getSlotAttr());
    remark::passed(live.op.getLoc(),
                   remark::RemarkOpts::name("Reuse").category("tc-promote"))
        << remark::reason("the buffer lies where one that is not used any more "
                          "lay");
    *free = &live;
  }
}

//===----------------------------------------------------------------------===//
// Too much of it
//===----------------------------------------------------------------------===//

/// Bytes of shared memory of a block that runs `grid`: buffers of one slot need
/// those of the largest.
static int64_t countSharedBytes(ParOp grid, int64_t threads) {
  uint64_t bytes = 0;
  DenseMap<int64_t, int64_t> slots;
  grid.walk([&](Operation *op) {
    int64_t own = countSharedBytes(op, threads);
    if (std::optional<int64_t> slot = getSlot(op))
      slots[*slot] = std::max(slots[*slot], own);
    else
      bytes = llvm::SaturatingAdd<uint64_t>(bytes, own);
  });
  for (auto [slot, own] : slots)
    bytes = llvm::SaturatingAdd<uint64_t>(bytes, own);
  return std::min<uint64_t>(bytes, std::numeric_limits<int64_t>::max());
}

/// Moves buffers that were placed here to global memory until the others fit in
/// the shared memory of a block: the smallest one that will do, else the
/// largest.
static void moveToGlobal(ParOp grid, int64_t threads, int64_t most,
                         Places &places) {
  int64_t bytes;
  while ((bytes = countSharedBytes(grid, threads)) > most) {
    auto isBetter = [&](NewOp first, NewOp second) {
      int64_t a = countSharedBytes(first, threads),
              b = countSharedBytes(second, threads);
      bool aDoes = bytes - a <= most, bDoes = bytes - b <= most;
      return aDoes == bDoes ? (aDoes ? a < b : a > b) : aDoes;
    };
    NewOp chosen;
    grid.walk([&](NewOp op) {
      if (places.contains(op) && countSharedBytes(op, threads) > 0 &&
          (!chosen || isBetter(op, chosen)))
        chosen = op;
    });
    if (!chosen)
      return;
    chosen.removeSlotAttr();
    place(chosen,
          {gpu::AddressSpace::Global,
           llvm::formatv("the shared buffers of a block would have {0} bytes, "
                         "and there are {1}",
                         bytes, most)},
          places);
  }
}

static LogicalResult placeBuffers(func::FuncOp function, MachineAttr machine) {
  Places places;
  SmallVector<NewOp> outside;
  IRRewriter rewriter(function.getContext());
  for (NewOp buffer : collectOps<NewOp>(function))
    if (buffer.getThreads() > 0)
      takeThreadParts(rewriter, buffer);
  function.walk([&](NewOp buffer) {
    auto owner = buffer->getParentOfType<ParOp>();
    bool isInFold = buffer->getParentOfType<ReduceOp>() ||
                    buffer->getParentOfType<ScanOp>();
    if (!owner && !isInFold)
      outside.push_back(buffer);
    else if (owner && owner.getLevel() &&
             !cast<MemRefType>(buffer.getType()).getMemorySpace())
      place(buffer, choosePlace(buffer, owner), places);
  });
  for (NewOp buffer : outside)
    if (failed(placeOnDevice(buffer)))
      return failure();
  function.walk([&](ParOp grid) {
    if (grid.getLevel() != Level::Grid)
      return;
    int64_t threads = countThreads(grid);
    if (!grid.hasClusters())
      shareMemory(grid, threads);
    moveToGlobal(grid, threads, machine.getBlockSharedBytes(), places);
  });
  for (auto &[buffer, place] : places)
    explain(buffer, place);
  return success();
}

namespace {
struct PromotePass : tc::impl::PromoteBase<PromotePass> {
  using PromoteBase::PromoteBase;

  void runOnOperation() override {
    FailureOr<MachineAttr> machine = MachineAttr::find(getOperation(), chip);
    if (failed(machine) || failed(placeBuffers(getOperation(), *machine)))
      signalPassFailure();
  }
};
} // namespace
