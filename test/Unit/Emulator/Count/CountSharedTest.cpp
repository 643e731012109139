//===- CountSharedTest.cpp - Wavefronts of access patterns ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests to shared memory whose wavefronts were derived by hand from the
// rules in Pattern.h: bank = word mod 32; a wavefront takes one word of each
// bank; the ideal is distinct words / 32, but no fewer wavefronts than parts
// (two at a time for loads) that the width makes of the active lanes.
//
//===----------------------------------------------------------------------===//

#include "Count/CountHarness.h"

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// "wavefronts/ideal".
std::string count(Pattern pattern, uint32_t bytes, uint32_t mask = allLanes,
                  AccessKind kind = AccessKind::Read, bool isMatrix = false) {
  SharedPattern found =
      countShared(pattern.data(), mask, bytes, kind, isMatrix);
  return llvm::formatv("{0}/{1}", found.wavefronts, found.idealWavefronts);
}

std::string countStore(Pattern pattern, uint32_t bytes,
                       uint32_t mask = allLanes) {
  return count(pattern, bytes, mask, AccessKind::Write);
}

std::string countAtomic(Pattern pattern, uint32_t bytes,
                        uint32_t mask = allLanes) {
  return count(pattern, bytes, mask, AccessKind::Atomic);
}

std::string countMatrix(Pattern pattern, uint32_t mask = allLanes) {
  return count(pattern, 16, mask, AccessKind::Read, true);
}

// Stride s in words: gcd(s, 32) lanes share a bank, with a word each. 32 words:
// ideal 1.
TEST(CountShared, Strides) {
  EXPECT_EQ(count(stride(4 * 1), 4), "1/1");
  EXPECT_EQ(count(stride(4 * 2), 4), "2/1");
  EXPECT_EQ(count(stride(4 * 3), 4), "1/1");
  EXPECT_EQ(count(stride(4 * 4), 4), "4/1");
  EXPECT_EQ(count(stride(4 * 8), 4), "8/1");
  EXPECT_EQ(count(stride(4 * 16), 4), "16/1");
  // A column of a tile of 32 by 32 words, and of one padded to 33.
  EXPECT_EQ(count(stride(4 * 32), 4), "32/1");
  EXPECT_EQ(count(stride(4 * 33), 4), "1/1");
  // Stores are no different.
  EXPECT_EQ(countStore(stride(4 * 2), 4), "2/1");
  EXPECT_EQ(countStore(stride(4 * 33), 4), "1/1");
  // The offset does not matter.
  EXPECT_EQ(count(stride(4, 1024 + 52), 4), "1/1");
}

TEST(CountShared, NarrowWidths) {
  // 32 bytes are 8 words, 64 bytes 16: lanes of one word share its access.
  EXPECT_EQ(count(stride(1), 1), "1/1");
  EXPECT_EQ(count(stride(2), 2), "1/1");
  EXPECT_EQ(countStore(stride(1), 1), "1/1");
  EXPECT_EQ(countStore(stride(2), 2), "1/1");
  // A column of halves in rows of 64 halves, 32 words: all in bank 0.
  EXPECT_EQ(count(stride(128), 2), "32/1");
  // Rows of 66 halves, 33 words.
  EXPECT_EQ(count(stride(132), 2), "1/1");
  // Rows of 65 halves: lane l at half 65 l, word floor(32.5 l), bank
  // floor(l/2) for even and odd l alike, with a word each.
  EXPECT_EQ(count(stride(130), 2), "2/1");
}

TEST(CountShared, Broadcasts) {
  EXPECT_EQ(count(stride(0), 4), "1/1");
  // Words 0 and 32, both in bank 0.
  EXPECT_EQ(count(make([](unsigned l) { return l % 2 * 128; }), 4), "2/1");
  // Words 0 and 33, banks 0 and 1.
  EXPECT_EQ(count(make([](unsigned l) { return l % 2 * 132; }), 4), "1/1");
  // Each word by two lanes: 16 words.
  EXPECT_EQ(count(make([](unsigned l) { return l / 2 * 4; }), 4), "1/1");
  // A store of one word by all lanes: one of them wins, at once.
  EXPECT_EQ(countStore(stride(0), 4), "1/1");
}

TEST(CountShared, Tiles) {
  // XOR swizzle: element (row, column) at row * 32 + (column ^ row). A column,
  // here 5, has banks 5 ^ row, all different; a row is a permutation.
  EXPECT_EQ(count(make([](unsigned l) { return 4 * (l * 32 + (5 ^ l)); }), 4),
            "1/1");
  EXPECT_EQ(count(make([](unsigned l) { return 4 * (5 * 32 + (l ^ 5)); }), 4),
            "1/1");
  // 8 rows of 4 words, rows 32 words apart, lanes down the columns: bank l / 8,
  // 8 rows in each.
  auto tile = [](unsigned pitch) {
    return make([=](unsigned l) { return 4 * (l % 8 * pitch + l / 8); });
  };
  EXPECT_EQ(count(tile(32), 4), "8/1");
  EXPECT_EQ(countStore(tile(32), 4), "8/1");
  // Rows 36 words apart: bank 4 (l % 8) + l / 8, each once.
  EXPECT_EQ(count(tile(36), 4), "1/1");
  // A permutation of 32 words.
  EXPECT_EQ(count(make([](unsigned l) { return l * 13 % 32 * 4; }), 4), "1/1");
  // Scattered, word l*l: for l = 2 mod 4 the bank is 4, and there are 8 of
  // them; every other bank has 4 at most.
  EXPECT_EQ(count(make([](unsigned l) { return l * l * 4; }), 4), "8/1");
}

TEST(CountShared, EightBytes) {
  // 64 words, a half warp at a time.
  EXPECT_EQ(count(stride(8), 8), "2/2");
  EXPECT_EQ(countStore(stride(8), 8), "2/2");
  // Every second 8 bytes: in a half warp lanes l and l+8 share banks.
  EXPECT_EQ(count(stride(16), 8), "4/2");
  // A column of doubles, 32 a row: 16 lanes of each half in banks 0 and 1.
  EXPECT_EQ(count(stride(256), 8), "32/2");
  // 33 a row: lane l at word 66 l, banks 2 l and 2 l + 1 of a half warp.
  EXPECT_EQ(count(stride(264), 8), "2/2");
  // 34 a row, as one pads for 16 bytes: banks 4 l, 8 lanes apart the same.
  EXPECT_EQ(count(stride(272), 8), "4/2");
  // One for all: pairs agree, so both halves go together.
  EXPECT_EQ(count(stride(0), 8), "1/1");
  // One for each half warp: the same, with the halves 2 words apart.
  EXPECT_EQ(count(make([](unsigned l) { return l / 16 * 8; }), 8), "1/1");
  // And with the halves in the same banks, 32 words apart.
  EXPECT_EQ(count(make([](unsigned l) { return l / 16 * 128; }), 8), "2/1");
  // 16 different ones, by pairs l, l xor 1: 32 words at once.
  EXPECT_EQ(count(make([](unsigned l) { return l / 2 * 8; }), 8), "1/1");
  // By pairs l, l xor 2.
  EXPECT_EQ(count(make([](unsigned l) { return (l / 4 * 2 + l % 2) * 8; }), 8),
            "1/1");
  // Lanes l and l + 8 agree: no such pairs, so a half warp at a time.
  EXPECT_EQ(count(make([](unsigned l) { return l % 8 * 8; }), 8), "2/1");
  // Stores never go together.
  EXPECT_EQ(countStore(make([](unsigned l) { return l / 2 * 8; }), 8), "2/2");
}

TEST(CountShared, SixteenBytes) {
  // 128 words, a quarter warp at a time.
  EXPECT_EQ(count(stride(16), 16), "4/4");
  EXPECT_EQ(countStore(stride(16), 16), "4/4");
  // Every second 16 bytes: lanes l and l+4 of a quarter share banks.
  EXPECT_EQ(count(stride(32), 16), "8/4");
  EXPECT_EQ(countStore(stride(32), 16), "8/4");
  // A column of float4 in rows of 32 words: 8 lanes of a quarter in banks 0..3.
  EXPECT_EQ(count(stride(128), 16), "32/4");
  // Rows of 36 words: banks 4 l, each once.
  EXPECT_EQ(count(stride(144), 16), "4/4");
  // One for all: two quarters go together, four never.
  EXPECT_EQ(count(stride(0), 16), "2/2");
  // 16 different ones, by pairs: 8 of them, 32 words, each half warp.
  EXPECT_EQ(count(make([](unsigned l) { return l / 2 * 16; }), 16), "2/2");
  EXPECT_EQ(countStore(make([](unsigned l) { return l / 2 * 16; }), 16), "4/4");
  // Lane mod 4: no pairs agree. 4 wavefronts were observed for this one, and 2
  // for pairs (developer forum, topic 77228).
  EXPECT_EQ(count(make([](unsigned l) { return l % 4 * 16; }), 16), "4/2");
  // 8 of them, so two parts: 128 bytes asked for, 4 words.
  EXPECT_EQ(count(stride(0), 16, 0x0f0f), "1/1");
  // 24 lanes ask for 384 bytes: no fewer than two wavefronts.
  EXPECT_EQ(count(stride(0), 16, 0x00ffffff), "2/2");
}

TEST(CountShared, Masks) {
  // Half of the lanes at a stride of 2: 16 even banks.
  EXPECT_EQ(count(stride(8), 4, 0x0000ffff), "1/1");
  // Lanes 0, 2, .. at a stride of 2: words 0, 4, .. 60, two in each of 8 banks.
  EXPECT_EQ(count(stride(8), 4, 0x55555555), "2/1");
  EXPECT_EQ(count(stride(4), 4, 0), "0/0");
  EXPECT_EQ(count(stride(4 * 32), 4, 0x80000000), "1/1");
  // Parts without an active lane cost nothing: half a warp of 8 bytes, a
  // quarter of 16 bytes.
  EXPECT_EQ(count(stride(8), 8, 0x0000ffff), "1/1");
  EXPECT_EQ(count(stride(16), 16, 0x0000ff00), "1/1");
  // Every second lane: no partner disagrees, so all go together: lanes 0, 2, ..
  // of 8 bytes are words 0, 1, 4, 5, ..: two in each bank.
  EXPECT_EQ(count(stride(8), 8, 0x55555555), "2/1");
}

TEST(CountShared, Atomics) {
  EXPECT_EQ(countAtomic(stride(4), 4), "1/1");
  // All on one word, one after the other.
  EXPECT_EQ(countAtomic(stride(0), 4), "32/1");
  EXPECT_EQ(countAtomic(stride(0), 4, 0xff), "8/1");
  // Two on each of 16 words.
  EXPECT_EQ(countAtomic(make([](unsigned l) { return l / 2 * 4; }), 4), "2/1");
  // A histogram of 8 bins, 4 lanes each.
  EXPECT_EQ(countAtomic(make([](unsigned l) { return l % 8 * 4; }), 4), "4/1");
  // 8 bytes, all on one: 16 in each half warp.
  EXPECT_EQ(countAtomic(stride(0), 8), "32/2");
}

// Row r of matrix m is at the address of lane 8 m + r; 8 rows of 16 bytes go at
// a time.
TEST(CountShared, Matrices) {
  auto rows = [](unsigned pitch) {
    return make([=](unsigned l) { return l % 8 * pitch + l / 8 * 16; });
  };
  // Rows of 64 halves: all 8 rows of a matrix in the same 4 banks.
  EXPECT_EQ(countMatrix(rows(128)), "32/4");
  // Padded to 72 halves: rows 36 words apart, banks 4 r .. 4 r + 3.
  EXPECT_EQ(countMatrix(rows(144)), "4/4");
  // Swizzled: 16-byte chunk m of row r at chunk m ^ r.
  EXPECT_EQ(countMatrix(make(
                [](unsigned l) { return l % 8 * 128 + (l / 8 ^ l % 8) * 16; })),
            "4/4");
  // .x1 and .x2: the addresses of 8 and 16 lanes.
  EXPECT_EQ(countMatrix(rows(144), 0x000000ff), "1/1");
  EXPECT_EQ(countMatrix(rows(144), 0x0000ffff), "2/2");
  // The same row for all: 4 words, yet each matrix on its own.
  EXPECT_EQ(countMatrix(stride(0)), "4/4");
}

} // namespace
