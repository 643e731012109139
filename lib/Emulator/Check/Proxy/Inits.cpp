//===- Inits.cpp - That mbarriers are known to be initialised -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Note [Initialised mbarriers]. `mbarrier.init` writes as a thread does, and a
// bulk copy counts its bytes through the async proxy: a fence belongs between,
// fence.mbarrier_init or fence.proxy.async. That is asked for
//
// - of an mbarrier in another block than the thread that issues the copy, and
// - where one thread initialises and copies, and has met nobody in between.
//
// Within a block, a barrier is taken for enough. The PTX document grants that
// nowhere, but what Triton and MLIR emit for one block has no more.
//
// To arrive on an mbarrier of another block is an access of the generic proxy.
// It needs an order alone, in which a fence.mbarrier_init and a relaxed barrier
// of the cluster do as a releasing one does.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

void Checker::noteInit(const WarpState &warp, unsigned lane, uint32_t site,
                       uint64_t object) {
  inits[object] = {warp.getFirstThread() + lane, site, order.getNow()};
}

void Checker::fenceInits(const WarpState &warp, uint32_t lanes) {
  noteSplit(warp);
  for (; lanes; lanes &= lanes - 1)
    order.fenceInits(warp.getFirstThread() + llvm::countr_zero(lanes));
  order.advance();
}

bool Checker::useMbarrier(const WarpState &warp, unsigned lane, uint32_t site,
                          uint64_t object) {
  auto found = inits.find(object);
  if (found == inits.end())
    return true;
  auto [thread, where, tick] = found->second;
  uint32_t user = warp.getFirstThread() + lane;
  if (order.isProxied(tick, thread, user, proxyInits) ||
      order.isProxied(tick, thread, user, proxyShared))
    return true;
  // Of another thread of the block that is not ordered before, the access to
  // the object tells as a race.
  if (areOfOneBlock(thread, user) &&
      (thread != user || order.hasMet(tick, thread)))
    return true;
  WarpAccess access{site,   1u << lane,         ptx::Space::Shared,
                    8,      AccessKind::Atomic, false,
                    nullptr};
  CheckFinding::Other party{true, true,  order.getBlockAt(order.getNow()),
                            true, where, thread};
  party.isInit = true;
  report(access, object, user, FindingClass::Async, party);
  return tell();
}

/// Whether a write that races is that of an mbarrier.init, and the user knows
/// of the object by a fence.mbarrier_init.
bool Checker::isFencedInit(const WarpAccess &access, uint64_t address,
                           Cell cell, uint32_t initialiser,
                           uint32_t user) const {
  if (access.kind != AccessKind::Atomic || access.space != ptx::Space::Shared)
    return false;
  auto found = inits.find(llvm::alignDown(address, 8));
  return found != inits.end() && found->second.thread == initialiser &&
         found->second.tick == getTick(cell) &&
         order.isProxied(getTick(cell), initialiser, user, proxyInits);
}

} // namespace tc::emulator
