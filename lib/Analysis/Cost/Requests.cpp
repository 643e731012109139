//===- Requests.cpp - What one access of a warp costs ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule search counts some hundred thousand requests, so nothing here
// allocates, and addresses that rise with the lane are not sorted.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Requests.h"

#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace mlir::tc;

static constexpr size_t kLanes = kWarpSize;

/// Aligned pieces of `size` bytes, a power of two, that hold `bytes` from each
/// address.
static int64_t countPieces(llvm::ArrayRef<int64_t> addresses, int64_t bytes,
                           int64_t size) {
  assert(addresses.size() <= kLanes && "a request is of one warp");
  // A search counts so much that divisions would be most of its time.
  unsigned shift = llvm::Log2_64(size);
  std::array<int64_t, kLanes> sorted;
  if (!llvm::is_sorted(addresses)) {
    auto *end = std::copy(addresses.begin(), addresses.end(), sorted.begin());
    std::sort(sorted.begin(), end);
    addresses = {sorted.data(), addresses.size()};
  }
  int64_t pieces = 0, next = std::numeric_limits<int64_t>::min();
  for (int64_t address : addresses) {
    int64_t first = std::max(next, address >> shift);
    int64_t last = (address + bytes - 1) >> shift;
    pieces += std::max<int64_t>(last - first + 1, 0);
    next = std::max(next, last + 1);
  }
  return pieces;
}

int64_t mlir::tc::countSectors(llvm::ArrayRef<int64_t> addresses,
                               int64_t bytes) {
  return countPieces(addresses, bytes, kSectorBytes);
}

int64_t mlir::tc::countLines(llvm::ArrayRef<int64_t> addresses, int64_t bytes) {
  return countPieces(addresses, bytes, kLineBytes);
}

/// Does each lane agree with the one `distance` away, where there is one?
static bool agreeInPairs(llvm::ArrayRef<int64_t> addresses, size_t distance) {
  for (size_t lane = 0; lane < addresses.size(); ++lane) {
    size_t partner = lane ^ distance;
    if (partner < addresses.size() && addresses[lane] != addresses[partner])
      return false;
  }
  return true;
}

namespace {
/// Counts the most distinct units that lanes ask of one of `banks`, a power of
/// two, which have the width of a unit.
class TurnCounter {
public:
  explicit TurnCounter(int64_t banks) : mask(banks - 1) {}

  void ask(int64_t unit) {
    size_t bank = unit & mask;
    uint8_t turn = 0;
    while (turn < depth[bank] && asked[turn][bank] != unit)
      ++turn;
    if (turn < depth[bank])
      return;
    asked[turn][bank] = unit;
    most = std::max(most, ++depth[bank]);
  }
  int64_t getMost() const { return most; }

private:
  int64_t mask;
  // By turns, so that the first one, mostly all there is, lies together.
  std::array<std::array<int64_t, kBanks>, kLanes * 4> asked;
  std::array<uint8_t, kBanks> depth = {};
  uint8_t most = 0;
};
} // namespace

/// The turns that accesses of `words` each take. Aligned ones take whole groups
/// of banks.
static int64_t countWordTurns(llvm::ArrayRef<int64_t> lanes, int64_t words) {
  int64_t bytes = words * kBankBytes;
  int64_t offsets = 0;
  for (int64_t lane : lanes)
    offsets |= lane;
  bool fits = llvm::isPowerOf2_64(words) && kBanks % words == 0;
  if (fits && (offsets & (bytes - 1)) == 0) {
    TurnCounter counter(kBanks / words);
    unsigned shift = llvm::Log2_64(bytes);
    for (int64_t lane : lanes)
      counter.ask(lane >> shift);
    return counter.getMost();
  }
  TurnCounter counter(kBanks);
  for (int64_t lane : lanes)
    for (int64_t w = 0; w < words; ++w)
      counter.ask((lane >> llvm::Log2_64(kBankBytes)) + w);
  return counter.getMost();
}

/// Lanes that shared memory serves together, where banks allow.
static size_t getTogether(llvm::ArrayRef<int64_t> addresses, int64_t words,
                          bool isRead) {
  size_t together = kLanes / words;
  if (words > 1 && isRead &&
      (agreeInPairs(addresses, 1) || agreeInPairs(addresses, 2)))
    together *= 2;
  return together;
}

int64_t mlir::tc::countWavefronts(llvm::ArrayRef<int64_t> addresses,
                                  int64_t bytes, bool isRead) {
  assert(addresses.size() <= kLanes && "a request is of one warp");
  int64_t words = llvm::divideCeil(bytes, kBankBytes);
  size_t together = getTogether(addresses, words, isRead);
  int64_t wavefronts = 0;
  for (; !addresses.empty();
       addresses = addresses.drop_front(std::min(together, addresses.size())))
    wavefronts += countWordTurns(addresses.take_front(together), words);
  return wavefronts;
}

int64_t mlir::tc::countTogether(llvm::ArrayRef<int64_t> addresses,
                                int64_t bytes, bool isRead) {
  int64_t words = llvm::divideCeil(bytes, kBankBytes);
  return llvm::divideCeil(addresses.size(),
                          getTogether(addresses, words, isRead));
}

int64_t mlir::tc::countIdealWavefronts(llvm::ArrayRef<int64_t> addresses,
                                       int64_t bytes, bool isRead) {
  int64_t words = llvm::divideCeil(bytes, kBankBytes);
  if (words <= 1)
    return addresses.empty() ? 0 : 1;
  int64_t row = kBanks * kBankBytes;
  return std::max<int64_t>(
      llvm::divideCeil(countPieces(addresses, words * kBankBytes, kBankBytes),
                       kBanks),
      llvm::divideCeil(int64_t(addresses.size()) * bytes,
                       isRead ? 2 * row : row));
}
