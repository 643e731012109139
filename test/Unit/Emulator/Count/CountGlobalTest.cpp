//===- CountGlobalTest.cpp - Sectors of access patterns -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Requests to global and local memory whose sectors (32 bytes), ideal (distinct
// bytes / 32, rounded up) and lines (128 bytes) were derived by hand, and the
// set of touched bytes.
//
//===----------------------------------------------------------------------===//

#include "Count/CountHarness.h"

#include <random>

using namespace tc::emulator;
using namespace tc::emulator::test;

namespace {

/// "sectors/ideal/lines" of the pattern, after a check that the bytes reported
/// as touched are the distinct ones.
std::string count(Pattern pattern, uint32_t bytes, uint32_t mask = allLanes) {
  Touched touched;
  GlobalPattern found = countGlobal(
      pattern.data(), mask, bytes,
      [&](uint64_t begin, uint64_t end) { touched.add(begin, end); });
  EXPECT_EQ(touched.count().bytes, found.distinctBytes);
  EXPECT_EQ(touched.count().sectors, found.sectors);
  return llvm::formatv("{0}/{1}/{2}", found.sectors, found.idealSectors(),
                       found.lines);
}

std::string countOwn(Pattern pattern, uint32_t bytes,
                     uint32_t mask = allLanes) {
  GlobalPattern found = countLocal(pattern.data(), mask, bytes);
  return llvm::formatv("{0}/{1}/{2}", found.sectors, found.idealSectors(),
                       found.lines);
}

// 32 words of 4 bytes at a stride of s words: 128 distinct bytes, so the ideal
// is 4 sectors.
TEST(CountGlobal, Strides) {
  // 128 bytes in a row.
  EXPECT_EQ(count(stride(4), 4), "4/4/1");
  // Bytes 0 to 252: every sector of 256 bytes has a word.
  EXPECT_EQ(count(stride(8), 4), "8/4/2");
  // The last word ends at 31*12+4 = 376. No step of 12 misses a sector, so
  // sectors 0..11 and lines 0..2.
  EXPECT_EQ(count(stride(12), 4), "12/4/3");
  // 32*16 = 512 bytes, two words a sector.
  EXPECT_EQ(count(stride(16), 4), "16/4/4");
  // A sector each; four sectors a line.
  EXPECT_EQ(count(stride(32), 4), "32/4/8");
  // A sector each; two lanes a line.
  EXPECT_EQ(count(stride(64), 4), "32/4/16");
  // A column of a matrix of 32 words a row: a line each.
  EXPECT_EQ(count(stride(128), 4), "32/4/32");
  // Padding does not help here: floor(132 l / 128) = l for l < 32.
  EXPECT_EQ(count(stride(132), 4), "32/4/32");
  // Downwards is as good as upwards.
  EXPECT_EQ(count(make([](unsigned l) { return 4 * (31 - l); }), 4), "4/4/1");
}

// Contiguous accesses of w bytes: 32 w bytes, w sectors, w/4 lines, at least 1.
TEST(CountGlobal, Widths) {
  EXPECT_EQ(count(stride(1), 1), "1/1/1");
  EXPECT_EQ(count(stride(2), 2), "2/2/1");
  EXPECT_EQ(count(stride(8), 8), "8/8/2");
  EXPECT_EQ(count(stride(16), 16), "16/16/4");
  EXPECT_EQ(count(stride(32), 32), "32/32/8");
  // 16 bytes of every 32: all 32 sectors for 512 bytes.
  EXPECT_EQ(count(stride(32), 16), "32/16/8");
  // Bytes at a stride of 33: byte 33 l is in sector l; the last is byte 1023,
  // in line 7. 32 bytes would fit into one sector.
  EXPECT_EQ(count(stride(33), 1), "32/1/8");
  // A column of doubles, 256 bytes apart: 32 * 8 / 32 = 8.
  EXPECT_EQ(count(stride(256), 8), "32/8/32");
}

TEST(CountGlobal, Broadcasts) {
  EXPECT_EQ(count(stride(0), 4), "1/1/1");
  EXPECT_EQ(count(stride(0), 16), "1/1/1");
  // Pairs of lanes share a word: 64 bytes.
  EXPECT_EQ(count(make([](unsigned l) { return l / 2 * 4; }), 4), "2/2/1");
  // Two rows of a tile, each read by a half warp: two words, 1024 bytes apart.
  EXPECT_EQ(count(make([](unsigned l) { return l / 16 * 1024; }), 4), "2/1/2");
}

TEST(CountGlobal, Misaligned) {
  // Bytes 4..131: sectors 0..4, lines 0 and 1.
  EXPECT_EQ(count(stride(4, 4), 4), "5/4/2");
  // Bytes 16..143: the same.
  EXPECT_EQ(count(stride(4, 16), 4), "5/4/2");
  // Bytes 16..527 by 16 bytes: sectors 0..16, lines 0..4.
  EXPECT_EQ(count(stride(16, 16), 16), "17/16/5");
  // 32 bytes off, whole sectors: only a line more.
  EXPECT_EQ(count(stride(4, 32), 4), "4/4/2");
}

TEST(CountGlobal, Masks) {
  // Words 0, 2, .. 30: 64 bytes, yet all four sectors.
  EXPECT_EQ(count(stride(4), 4, 0x55555555), "4/2/1");
  EXPECT_EQ(count(stride(4), 4, 0x0000ffff), "2/2/1");
  EXPECT_EQ(count(stride(4), 4, 0xffff0000), "2/2/1");
  EXPECT_EQ(count(stride(128), 4, 0x80000000), "1/1/1");
  EXPECT_EQ(count(stride(4), 4, 0), "0/0/0");
  // What inactive lanes hold does not matter.
  EXPECT_EQ(
      count(make([](unsigned l) { return l < 8 ? l * 4 : ~0ull; }), 4, 0xff),
      "1/1/1");
}

TEST(CountGlobal, Tiles) {
  // Each lane a word of a line, in another order: 5 is odd, so l*5 mod 32 is a
  // permutation.
  EXPECT_EQ(count(make([](unsigned l) { return l * 5 % 32 * 4; }), 4), "4/4/1");
  // A tile of 8 rows of 4 words, rows 256 bytes apart: 16 bytes of 8 sectors.
  EXPECT_EQ(count(make([](unsigned l) { return l / 4 * 256 + l % 4 * 4; }), 4),
            "8/4/8");
  // The same, lanes down the columns: the same bytes.
  EXPECT_EQ(count(make([](unsigned l) { return l % 8 * 256 + l / 8 * 4; }), 4),
            "8/4/8");
  // 4 rows of 8 float4: 128 bytes of each row.
  EXPECT_EQ(
      count(make([](unsigned l) { return l / 8 * 4096 + l % 8 * 16; }), 16),
      "16/16/4");
  // Scattered: a page each.
  EXPECT_EQ(count(make([](unsigned l) { return l * 4096 + l % 8 * 4; }), 4),
            "32/4/32");
}

// Word w of lane l lies at 4 (32 w + l).
TEST(CountLocal, Interleaves) {
  // All lanes the same word: 128 bytes in a row.
  EXPECT_EQ(countOwn(stride(0, 1024), 4), "4/4/1");
  // Four words each: four such rows.
  EXPECT_EQ(countOwn(stride(0, 1024), 16), "16/16/4");
  // One byte of each word of the row: 32 bytes of 4 sectors.
  EXPECT_EQ(countOwn(stride(0, 1027), 1), "4/1/1");
  // Each lane its own element of an array: a row each.
  EXPECT_EQ(countOwn(stride(4, 1024), 4), "32/4/32");
  // Two elements of each 8 lanes that stand together: 2 rows of 4 sectors.
  EXPECT_EQ(countOwn(make([](unsigned l) { return l % 2 * 4; }), 4), "8/4/2");
}

// Against a bitmap of the simplest kind.
TEST(CountGlobal, AgreesWithABitmap) {
  std::mt19937_64 random(1);
  for (unsigned round = 0; round < 2000; ++round) {
    uint32_t bytes = 1u << random() % 6, mask = random() | 1;
    uint64_t range = 1 + random() % 2048;
    Pattern pattern =
        make([&](unsigned) { return random() % range * bytes + (round & 7); });
    std::vector<bool> seen(range * bytes + 64);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (uint32_t byte = 0; byte < bytes; ++byte)
        if (mask >> lane & 1)
          seen[pattern[lane] + byte] = true;
    auto units = [&](uint64_t size) {
      uint64_t sum = 0;
      for (uint64_t at = 0; at < seen.size(); at += size)
        sum += std::count(seen.begin() + at,
                          seen.begin() + std::min(at + size, seen.size()),
                          true) != 0;
      return sum;
    };
    ASSERT_EQ(count(pattern, bytes, mask),
              llvm::formatv("{0}/{1}/{2}", units(32), (units(1) + 31) / 32,
                            units(128))
                  .str());
  }
}

TEST(CountTouched, CountsBytesOnce) {
  Touched touched;
  touched.add(100, 104);
  touched.add(100, 104);
  touched.add(96, 102);
  EXPECT_EQ(touched.count().bytes, 8u); // 96..103
  EXPECT_EQ(touched.count().sectors, 1u);
  // Across a page, into the next but one: a whole page between.
  touched.add(4090, 8200);
  EXPECT_EQ(touched.count().bytes, 8u + 4110u);
  // The last sector of page 0, all 128 of page 1, one of page 2.
  EXPECT_EQ(touched.count().sectors, 1u + 1 + 128 + 1);
  // A full page takes more without change.
  touched.add(4096, 8192);
  EXPECT_EQ(touched.count().bytes, 8u + 4110u);
}

TEST(CountTouched, CountsRanges) {
  Touched touched;
  touched.add(0, 10000);
  EXPECT_EQ(touched.count(256, 512).bytes, 256u);
  EXPECT_EQ(touched.count(9990, 20000).bytes, 10u);
  EXPECT_EQ(touched.count(9990, 20000).sectors, 1u); // 9984..9999, cut
  EXPECT_EQ(touched.count(4000, 8300).bytes, 4300u);
  EXPECT_EQ(touched.count(10000, 10000).bytes, 0u);
  EXPECT_EQ(touched.count(1ull << 40, 1ull << 41).bytes, 0u);
}

TEST(CountTouched, Unites) {
  Touched a, b;
  a.add(0, 4096);
  b.add(4000, 4200);
  b.add(1 << 20, (1 << 20) + 5);
  a.add(b);
  EXPECT_EQ(a.count().bytes, 4200u + 5);
  Touched c;
  c.add(a);
  c.add(b);
  EXPECT_EQ(c.count().bytes, 4200u + 5);
}

} // namespace
