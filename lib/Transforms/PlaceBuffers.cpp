//===- PlaceBuffers.cpp - A memory space for every buffer -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer belongs to an iteration of the tc.par round it. Where that is run by
// one thread, or each thread has its own part, the buffer is the thread's:
// registers, if it is small. Where a team runs it, the buffer is shared.
//
//===----------------------------------------------------------------------===//

#include "PlaceBuffers.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Gives `buffer`, and all views of it, the memory of `space`.
static void placeIn(Attribute space, Value buffer) {
  buffer.setType(MemRefType::Builder(cast<MemRefType>(buffer.getType()))
                     .setMemorySpace(space));
  for (Operation *user : buffer.getUsers())
    if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1 &&
        isa<MemRefType>(user->getResult(0).getType()))
      placeIn(space, user->getResult(0));
}

/// Does each thread that uses the buffer have a part of its own?
static bool isOfThreads(NewOp buffer) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    auto threads = user->getParentOfType<ParOp>();
    return threads && threads.getLevel() == Level::Block &&
           threads.getRank() == buffer.getThreads();
  });
}

/// Where a buffer of an iteration of `owner` lies, and why.
static std::pair<gpu::AddressSpace, StringRef> chooseSpace(NewOp buffer,
                                                           ParOp owner) {
  bool isTeam = owner.getLevel() == Level::Grid || owner.getMemberThreads() > 1;
  if (!isTeam)
    return {gpu::AddressSpace::Private, "one thread runs what is round it"};
  if (owner.getLevel() == Level::Grid && isOfThreads(buffer))
    return {gpu::AddressSpace::Private, "each thread uses a part of its own"};
  return {gpu::AddressSpace::Workgroup, "several threads use it"};
}

static void place(NewOp buffer) {
  auto owner = buffer->getParentOfType<ParOp>();
  if (!owner || !owner.getLevel())
    return;
  auto [space, reason] = chooseSpace(buffer, owner);
  remark::analysis(buffer.getLoc(),
                   remark::RemarkOpts::name("Memory").category("tc-promote"))
      << remark::reason("the buffer lies in {0} memory: {1}",
                        gpu::stringifyAddressSpace(space), reason);
  placeIn(gpu::AddressSpaceAttr::get(buffer.getContext(), space),
          buffer.getResult());
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

static int64_t countBytes(MemRefType type) {
  return type.getNumElements() *
         llvm::divideCeil(type.getElementType().isIntOrFloat()
                              ? type.getElementTypeBitWidth()
                              : 128,
                          8);
}

/// Gives buffers of one element type that do not live at the same time a slot.
static void shareMemory(ParOp grid) {
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
    if (auto stage = dyn_cast<StageOp>(op))
      slots = std::max(slots, int64_t(stage.getSlot().value_or(-1)) + 1);
  });
  SmallVector<LiveBuffer> buffers;
  grid.walk<WalkOrder::PreOrder>([&](NewOp op) {
    auto type = cast<MemRefType>(op.getType());
    if (op->getParentOfType<ParOp>() != grid || op.getSlot() ||
        !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
      return;
    LiveBuffer live{op, place, -1, countBytes(type)};
    if (op.getInit())
      live.begin = live.end = places.lookup(op).first;
    addUses(op.getResult(), live, places);
    bytes += live.bytes;
    buffers.push_back(live);
  });
  if (bytes <= kFreeBytes)
    return;
  // First come, first served: the buffer that ended last among those that fit.
  SmallVector<LiveBuffer *> last;
  for (LiveBuffer &live : buffers) {
    auto free = llvm::find_if(last, [&](LiveBuffer *other) {
      return other->end < live.begin &&
             cast<MemRefType>(other->op.getType()).getElementType() ==
                 cast<MemRefType>(live.op.getType()).getElementType();
    });
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

void mlir::tc::placeBuffers(func::FuncOp function) {
  function.walk([](NewOp buffer) {
    if (!cast<MemRefType>(buffer.getType()).getMemorySpace())
      place(buffer);
  });
  function.walk([](ParOp par) {
    if (par.getLevel() == Level::Grid)
      shareMemory(par);
  });
}
