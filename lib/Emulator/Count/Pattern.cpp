//===- Pattern.cpp - What one access of a warp costs ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Contiguous and uniform accesses of a whole warp, the frequent ones, are
// counted at once. Of the others, addresses that rise with the lane need no
// sorting, and words within 128 bytes no table of banks.
//
//===----------------------------------------------------------------------===//

#include "Count/Pattern.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/bit.h"

#include <algorithm>

namespace tc::emulator {

namespace {

/// True if all lanes are active and `step` bytes apart.
bool isAffine(const uint64_t *addresses, uint32_t mask, uint64_t step) {
  if (~mask || addresses[1] - addresses[0] != step)
    return false;
  uint64_t difference = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    difference |= addresses[lane] ^ (addresses[0] + lane * step);
  return difference == 0;
}

using Addresses = llvm::SmallVector<uint64_t, warpSize>;

/// The addresses of the active lanes, sorted.
Addresses gather(const uint64_t *addresses, uint32_t mask) {
  Addresses active;
  bool isSorted = true;
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    isSorted &= active.empty() || active.back() <= addresses[lane];
    active.push_back(addresses[lane]);
  }
  if (!isSorted)
    std::sort(active.begin(), active.end());
  return active;
}

/// How many aligned units of 2^shift bytes [begin, end) touches, without the
/// one that ended the last call's range. `last` starts as ~0.
uint32_t countUnits(uint64_t begin, uint64_t end, unsigned shift,
                    uint64_t &last) {
  uint64_t first = begin >> shift, final = (end - 1) >> shift;
  uint32_t units = final - first + (first != last);
  last = final;
  return units;
}

} // namespace

GlobalPattern countGlobal(const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, RunFunction64 touch) {
  GlobalPattern pattern;
  if (!mask || !bytes)
    return pattern;
  uint64_t lastSector = ~0ull, lastLine = ~0ull;
  auto close = [&](uint64_t begin, uint64_t end) {
    pattern.distinctBytes += end - begin;
    pattern.sectors += countUnits(begin, end, 5, lastSector);
    pattern.lines += countUnits(begin, end, 7, lastLine);
    touch(begin, end);
  };
  for (uint64_t step : {uint64_t(bytes), uint64_t(0)})
    if (isAffine(addresses, mask, step)) {
      close(addresses[0], addresses[0] + step * (warpSize - 1) + bytes);
      return pattern;
    }
  Addresses active = gather(addresses, mask);
  uint64_t begin = active.front(), end = begin + bytes;
  for (uint64_t address : llvm::ArrayRef(active).drop_front()) {
    if (address > end) {
      close(begin, end);
      begin = address;
    }
    end = std::max(end, address + bytes);
  }
  close(begin, end);
  return pattern;
}

GlobalPattern countLocal(const uint64_t *addresses, uint32_t mask,
                         uint32_t bytes) {
  GlobalPattern pattern;
  for (uint32_t done = 0; done < bytes;) {
    // One word, or the part of it that is accessed.
    uint32_t part = std::min<uint32_t>(bytes - done, 4);
    uint64_t words[warpSize] = {};
    for (unsigned lane = 0; lane < warpSize; ++lane)
      if (mask >> lane & 1) {
        uint64_t address = addresses[lane] + done;
        words[lane] = (address >> 2) * 128 + lane * 4 + (address & 3);
      }
    GlobalPattern word =
        countGlobal(words, mask, part, [](uint64_t, uint64_t) {});
    pattern.sectors += word.sectors;
    pattern.lines += word.lines;
    pattern.distinctBytes += word.distinctBytes;
    done += part;
  }
  return pattern;
}

namespace {

/// The words that some lanes ask for, by bank. A lane asks for at most one of
/// each bank.
class BankTable {
public:
  /// Adds a word, once unless each access to it takes its own turn.
  void add(uint64_t word, bool isAlone) {
    unsigned bank = word % 32;
    auto *begin = words[bank], *end = begin + depths[bank];
    if (isAlone || std::find(begin, end, word) == end)
      words[bank][depths[bank]++] = word;
  }
  uint32_t getDepth() const { return *std::max_element(depths, depths + 32); }

private:
  uint64_t words[32][warpSize]; // the first `depths` of them
  uint8_t depths[32] = {};
};

/// True if each active lane agrees with its partner, where that is active.
bool agreeInPairs(const uint64_t *addresses, uint32_t mask, unsigned distance) {
  for (unsigned lane = 0; lane < warpSize; ++lane) {
    unsigned partner = lane ^ distance;
    if ((mask >> lane & 1) && (mask >> partner & 1) &&
        addresses[lane] != addresses[partner])
      return false;
  }
  return true;
}

/// How many lanes go together.
unsigned getLanesTogether(const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, bool mayMerge) {
  if (bytes <= 4)
    return warpSize;
  unsigned lanes = std::max(1u, 128 / bytes);
  bool isMerged = mayMerge && (agreeInPairs(addresses, mask, 1) ||
                               agreeInPairs(addresses, mask, 2));
  return isMerged ? lanes * 2 : lanes;
}

uint32_t countWavefronts(const uint64_t *addresses, uint32_t mask,
                         uint32_t words, bool isAtomic) {
  if (!mask)
    return 0;
  uint64_t least = ~0ull, most = 0;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1) {
      least = std::min(least, addresses[lane] / 4);
      most = std::max(most, addresses[lane] / 4 + words);
    }
  if (!isAtomic && most - least <= 32)
    return 1; // each word in a bank of its own
  BankTable table;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    for (uint32_t word = 0; (mask >> lane & 1) && word < words; ++word)
      table.add(addresses[lane] / 4 + word, isAtomic);
  return table.getDepth();
}

} // namespace

uint32_t countAddresses(const uint64_t *addresses, uint32_t mask) {
  llvm::SmallVector<uint64_t, warpSize> seen;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    if (mask >> lane & 1)
      seen.push_back(addresses[lane]);
  llvm::sort(seen);
  return uint32_t(llvm::unique(seen) - seen.begin());
}

SharedPattern countShared(const uint64_t *addresses, uint32_t mask,
                          uint32_t bytes, AccessKind kind, bool isMatrix) {
  SharedPattern pattern;
  if (!mask || !bytes)
    return pattern;
  uint32_t words = (bytes + 3) / 4;
  bool isAtomic = kind == AccessKind::Atomic;
  // Whole words in a row, or one word for all.
  if (bytes % 4 == 0 && addresses[0] % 4 == 0 &&
      isAffine(addresses, mask, bytes))
    return {words, words};
  if (bytes == 4 && !isAtomic && isAffine(addresses, mask, 0))
    return {1, 1};
  bool mayMerge = kind == AccessKind::Read && !isMatrix;
  unsigned lanes = getLanesTogether(addresses, mask, bytes, mayMerge);
  uint32_t part = lanes == warpSize ? ~0u : (1u << lanes) - 1;
  for (unsigned first = 0; first < warpSize; first += lanes)
    pattern.wavefronts +=
        countWavefronts(addresses, mask & part << first, words, isAtomic);
  if (bytes <= 4 || pattern.wavefronts == 1) {
    pattern.idealWavefronts = 1;
    return pattern;
  }
  // Distinct words: the distinct bytes of the words that lanes touch.
  uint64_t rounded[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    rounded[lane] = addresses[lane] & ~3ull;
  uint32_t distinct =
      countGlobal(rounded, mask, words * 4, [](uint64_t, uint64_t) {
      }).distinctBytes;
  uint32_t together = mayMerge ? 256 : 128;
  pattern.idealWavefronts =
      std::max((distinct + 127) / 128,
               (llvm::popcount(mask) * bytes + together - 1) / together);
  return pattern;
}

} // namespace tc::emulator
