//===- GlobalReadsTest.cpp - Ranges that bulk copies read -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against a list of readers for each byte.
//
//===----------------------------------------------------------------------===//

#include "Check/Proxy/GlobalReads.h"

#include "gtest/gtest.h"

#include <random>

using namespace tc::emulator;

TEST(GlobalReads, AreThoseOfEachByte) {
  constexpr uint64_t bytes = 64;
  for (unsigned seed = 0; seed != 200; ++seed) {
    std::mt19937 random(seed);
    GlobalReads reads;
    std::vector<std::vector<Cell>> expected(bytes);
    for (Cell reader = 1; reader != 40; ++reader) {
      uint64_t begin = random() % bytes;
      uint64_t end = begin + 1 + random() % (bytes - begin);
      // Half of them are followed by what knows of all before some reader.
      Cell known = random() % 2 ? 0 : Cell(random() % reader);
      auto isGone = [&](Cell other) { return other < known; };
      reads.add(begin, end, reader, isGone);
      for (uint64_t at = begin; at != end; ++at) {
        llvm::erase_if(expected[at], isGone);
        expected[at].push_back(reader);
      }
      uint64_t from = random() % bytes;
      uint64_t to = from + 1 + random() % (bytes - from);
      std::vector<std::vector<Cell>> found(bytes);
      bool meets = false;
      reads.forRanges(
          from, to,
          [&](uint64_t first, uint64_t last, llvm::ArrayRef<Cell> readers) {
            meets = true;
            for (uint64_t at = first; at != last; ++at)
              found[at] = readers.vec();
          });
      EXPECT_EQ(reads.meets(from, to), meets);
      for (uint64_t at = from; at != to; ++at)
        EXPECT_EQ(found[at], expected[at]) << "byte " << at;
    }
  }
}
