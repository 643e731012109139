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

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cassert>

using namespace mlir::tc;

static constexpr size_t kWarp = 32;

int64_t mlir::tc::countSectors(llvm::ArrayRef<int64_t> addresses,
                               int64_t bytes) {
  assert(addresses.size() <= kWarp && "a request is of one warp");
  std::array<int64_t, kWarp> sorted;
  auto *end = std::copy(addresses.begin(), addresses.end(), sorted.begin());
  if (!std::is_sorted(sorted.begin(), end))
    std::sort(sorted.begin(), end);
  int64_t sectors = 0, next = std::numeric_limits<int64_t>::min();
  for (auto *it = sorted.begin(); it != end; ++it) {
    int64_t first = std::max(next, llvm::divideFloorSigned(*it, kSectorBytes));
    int64_t last = llvm::divideFloorSigned(*it + bytes - 1, kSectorBytes);
    sectors += std::max<int64_t>(last - first + 1, 0);
    next = std::max(next, last + 1);
  }
  return sectors;
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

/// The most distinct words that `lanes` ask of one bank.
static int64_t countTurns(llvm::ArrayRef<int64_t> lanes, int64_t words) {
  std::array<std::array<int64_t, kWarp>, kBanks> asked;
  std::array<uint8_t, kBanks> depth = {};
  uint8_t most = 0;
  for (int64_t address : lanes)
    for (int64_t w = 0; w < words; ++w) {
      int64_t word = address / kBankBytes + w;
      size_t bank = word % kBanks;
      auto *end = asked[bank].begin() + depth[bank];
      if (std::find(asked[bank].begin(), end, word) == end) {
        *end = word;
        most = std::max(most, ++depth[bank]);
      }
    }
  return most;
}

int64_t mlir::tc::countWavefronts(llvm::ArrayRef<int64_t> addresses,
                                  int64_t bytes, bool isRead) {
  assert(addresses.size() <= kWarp && "a request is of one warp");
  int64_t words = llvm::divideCeil(bytes, kBankBytes);
  size_t together = kWarp / words;
  if (words > 1 && isRead &&
      (agreeInPairs(addresses, 1) || agreeInPairs(addresses, 2)))
    together *= 2;
  int64_t wavefronts = 0;
  for (; !addresses.empty();
       addresses = addresses.drop_front(std::min(together, addresses.size())))
    wavefronts += countTurns(addresses.take_front(together), words);
  return wavefronts;
}
