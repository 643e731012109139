//===- Proxy.cpp - Checks of the async proxy ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads through the async proxy: all that was written there must be ordered
// before, with a proxy fence in between, and nothing may be written until they
// are over. A warp reads as a whole, once its lanes have come: what is ordered
// before one of them is.
//
//===----------------------------------------------------------------------===//

#include "Check/Checker.h"

using namespace tc::emulator::cell;

namespace tc::emulator {

void Checker::fenceProxy(const WarpState &warp, uint32_t lanes, bool isShared,
                         bool isGlobal) {
  noteSplit(warp);
  for (; lanes; lanes &= lanes - 1)
    order.fenceProxy(warp.getFirstThread() + llvm::countr_zero(lanes), isShared,
                     isGlobal);
  order.advance();
}

/// What a write in a cell is to those lanes of a warp that access it.
Checker::Visibility Checker::getVisibility(Cell cell, const WarpState &warp,
                                           uint32_t readers) const {
  uint32_t first = warp.getFirstThread(), writer = getThread(cell);
  Tick tick = getTick(cell);
  bool isOrdered = isPast(cell, sharedWindow);
  // An agent wrote through the async proxy, too.
  bool isAgent = writer >= countThreads();
  bool isOwn = (writer & ~31u) == first && readers >> (writer - first) & 1;
  for (uint32_t lanes = readers; lanes; lanes &= lanes - 1) {
    uint32_t reader = first + llvm::countr_zero(lanes);
    bool isBefore = isOrdered || isOwn || order.isBefore(tick, writer, reader);
    isOrdered |= isBefore;
    // A lane knows its own fence, and so does the warp.
    uint32_t fencer = isOwn ? writer : reader;
    if (isBefore &&
        (isAgent || order.isProxied(tick, writer, reader, proxyShared) ||
         order.isProxied(tick, writer, fencer, proxyShared)))
      return Visibility::Seen;
  }
  return isOrdered ? Visibility::Unfenced : Visibility::Unordered;
}

/// What was written in one granule that the lanes of an access read or write.
bool Checker::checkWriters(const WarpState &warp, const WarpAccess &access,
                           uint64_t address, const Cell *cell,
                           bool needsFence) {
  uint32_t thread = warp.getFirstThread() + llvm::countr_zero(access.mask);
  auto fail = [&](Cell other, FindingClass what, bool isUnfenced) {
    CheckFinding::Other party{
        true, true,           order.getBlockAt(order.getNow()),
        true, getSite(other), getThread(other)};
    party.isUnfenced = isUnfenced;
    return report(access, address, thread, what, party);
  };
  if (isInFlight(*cell))
    return fail(*cell, FindingClass::Async, false);
  for (const Member &member : sets.get(cell)) {
    Visibility seen = getVisibility(member.cell, warp, access.mask);
    if (seen == Visibility::Unordered ||
        (seen == Visibility::Unfenced && needsFence))
      return fail(member.cell,
                  seen == Visibility::Unfenced ? FindingClass::Async
                                               : FindingClass::Race,
                  seen == Visibility::Unfenced);
  }
  return true;
}

/// One granule that is read.
bool Checker::checkAsyncRead(const WarpState &warp, const WarpAccess &access,
                             uint64_t address, const Cell *cell) {
  if (*cell >= sharedWindow.block)
    return checkWriters(warp, access, address, cell);
  if (setup.checks.has(Checks::Uninitialised))
    defer(access, address,
          warp.getFirstThread() + llvm::countr_zero(access.mask));
  return true;
}

void Checker::checkAsyncReads(const WarpState &warp, const WarpAccess &access,
                              uint64_t address, Cell &seen) {
  // Most neighbours were written together.
  constexpr int64_t mask = ~(int64_t(lastSite) << siteShift);
  const Cell *cell = shared.write(address);
  const Cell *end = shared.write(address + access.bytes - 1) + 1;
  for (; cell != end; ++cell) {
    if ((*cell & mask) == seen && !isMany(*cell))
      continue;
    if (checkAsyncRead(warp, access, address, cell))
      seen = *cell & mask;
  }
}

bool Checker::issueProduct(const WarpState &warp, uint32_t site,
                           uint64_t number,
                           llvm::ArrayRef<uint32_t> addresses) {
  if (order.getNow() >= lastTick - 1)
    return true;
  noteSplit(warp);
  WarpAccess access{site,
                    warp.exists,
                    ptx::Space::Shared,
                    AsyncReads::pieceBytes,
                    AccessKind::Read,
                    false,
                    nullptr};
  Cell seen = 0;
  isWatched = true;
  for (uint32_t offset : addresses) {
    checkAsyncReads(warp, access, offset + warp.rank * clusterWindow, seen);
    asyncReads.read(warp.rank, warp.index / AsyncReads::warpsOfGroup, number,
                    site, offset - sharedStart);
  }
  return tell();
}

void Checker::retireProduct(const WarpState &warp, uint64_t number) {
  if (!asyncReads.isEmpty())
    asyncReads.retire(warp.rank, warp.index / AsyncReads::warpsOfGroup, number,
                      warp.index % AsyncReads::warpsOfGroup, order.getNow());
}

/// That no product still reads what a lane writes at `address`.
void Checker::checkProductReaders(const WarpState &warp,
                                  const WarpAccess &access, unsigned lane,
                                  uint64_t address) {
  constexpr unsigned warpsOfGroup = AsyncReads::warpsOfGroup;
  uint64_t offset = address - sharedStart;
  uint32_t rank = offset / clusterWindow;
  uint32_t writer = warp.getFirstThread() + lane;
  auto check = [&](unsigned group, const AsyncReads::Product &product) {
    uint32_t first = rank * setup.threads + group * warpsOfGroup * warpSize,
             thread = first;
    for (unsigned member = 0; member < warpsOfGroup; ++member) {
      Tick end = product.ends[member];
      if (!end)
        continue;
      thread = first + member * warpSize;
      if (end < order.getBase() || writer / warpSize == thread / warpSize)
        return true;
      for (uint32_t i = 0; i < warpSize; ++i)
        if (order.isBefore(end, thread + i, writer))
          return true;
    }
    CheckFinding::Other party{
        false, true,         order.getBlockAt(order.getNow()),
        true,  product.site, thread};
    return report(
        access, address, writer,
        product.isInFlight() ? FindingClass::Async : FindingClass::Race, party);
  };
  asyncReads.forReaders(rank, offset % clusterWindow, access.bytes, check);
}

void Checker::checkReaders(const WarpState &warp, const WarpAccess &access,
                           unsigned lane, uint64_t address) {
  if (!asyncReads.isEmpty())
    checkProductReaders(warp, access, lane, address);
  if (!bulkReads.isEmpty())
    checkBulkReaders(warp, access, lane, address);
}

void Checker::checkReaders(const WarpState &warp, const WarpAccess &access) {
  for (uint32_t lanes = access.mask; lanes; lanes &= lanes - 1) {
    unsigned lane = llvm::countr_zero(lanes);
    checkReaders(warp, access, lane, access.addresses[lane]);
  }
}

} // namespace tc::emulator
