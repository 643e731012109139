//===- Prologue.cpp - What a launch does before it waits ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Threads that have waited, and accesses of those that have not; see
// Prologue.h.
//
//===----------------------------------------------------------------------===//

#include "Check/Streams/Prologue.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace tc::emulator::cell;

namespace tc::emulator {

void Prologue::beginBlock() {
  ownWaits = waits.size();
  areAllPast = hasTriggered = false;
  past.reset();
}

/// A block that ends counts as one that triggers.
void Prologue::endBlock() {
  isPatient &= hasTriggered || waits.size() != ownWaits;
}

/// What the threads do from now on has a later tick.
void Prologue::wait(uint32_t first, uint32_t lanes, Order &order) {
  waits.push_back({order.getNow(), first, lanes});
  for (uint32_t left = lanes; left; left &= left - 1)
    past.set(first + llvm::countr_zero(left));
  order.advance();
}

/// Any thread of a block may be the first one, which alone counts.
void Prologue::trigger(uint32_t first, uint32_t lanes, const Order &order) {
  hasTriggered = true;
  for (uint32_t left = lanes; left; left &= left - 1)
    isPatient &= isPast(first + llvm::countr_zero(left), order);
}

bool Prologue::isAfter(const Wait &wait, uint32_t thread,
                       const Order &order) const {
  for (uint32_t left = wait.lanes; left; left &= left - 1)
    if (order.isBefore(wait.tick, wait.first + llvm::countr_zero(left), thread))
      return true;
  return false;
}

bool Prologue::isOver(const Order &order) {
  areAllPast |=
      ownWaits != waits.size() && waits[ownWaits].tick < order.getBase();
  return areAllPast;
}

/// Whether the thread has waited, or comes after one that has.
bool Prologue::isPast(uint32_t thread, const Order &order) {
  if (isOver(order) || past.test(thread))
    return true;
  llvm::ArrayRef<Wait> all(waits), own = all.drop_front(ownWaits);
  auto isKnown = [&](const Wait &wait) { return isAfter(wait, thread, order); };
  if (llvm::any_of(own, isKnown) ||
      (order.knowsForeign(thread) &&
       llvm::any_of(all.take_front(ownWaits), isKnown)))
    past.set(thread);
  return past.test(thread);
}

void Prologue::access(Cell first, uint32_t count, bool isSame, uint64_t address,
                      uint64_t bytes, Use use, const Order &order) {
  if (isOver(order))
    return;
  for (uint32_t i = 0; i != count; ++i) {
    if (isPast(getThread(first) + i, order))
      continue;
    uint64_t begin = isSame ? address : address + i * bytes;
    Access access{begin, begin + bytes, use, first + (Cell(i) << threadShift)};
    if (accesses.empty() || !accesses.back().isLike(access))
      accesses.push_back(access);
  }
  if (accesses.size() >= limit)
    compress();
}

static auto getKey(uint64_t begin, uint64_t end, Use use, Cell cell) {
  return std::tuple(begin, end, use.isWrite, use.isStrong, getSite(cell));
}

bool Prologue::Access::operator<(const Access &other) const {
  return std::pair(getKey(begin, end, use, cell), cell) <
         std::pair(getKey(other.begin, other.end, other.use, other.cell),
                   other.cell);
}

/// Whether to name one of the two is enough.
bool Prologue::Access::isLike(const Access &other) const {
  return getKey(begin, end, use, cell) ==
         getKey(other.begin, other.end, other.use, other.cell);
}

void Prologue::compress() {
  llvm::sort(accesses);
  accesses.erase(
      llvm::unique(accesses, [](const Access &a,
                                const Access &b) { return a.isLike(b); }),
      accesses.end());
  limit = 2 * accesses.size() + 4096;
}

void Prologue::fill(Usage &usage) const {
  for (const Access &access : accesses)
    usage.addAccess(access.begin, access.end, access.use, access.cell);
}

} // namespace tc::emulator
