//===- LoadCacheTest.cpp - Tests for which loads L1 serves ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/LoadCache.h"

#include <gtest/gtest.h>

using namespace mlir::tc;

namespace {

/// One request for the bytes [begin, end).
uint32_t load(LoadCache &cache, uint64_t begin, uint64_t end) {
  LoadCache::Missed missed;
  cache.load(begin, end, missed);
  return missed.sectors;
}

TEST(LoadCache, LoadsOfOneStep) {
  LoadCache cache;
  EXPECT_EQ(load(cache, 1024, 1024 + 128), 4u);
  EXPECT_EQ(load(cache, 1024, 1024 + 128), 0u);
  // A byte of the next line, then its neighbour, then across sectors.
  EXPECT_EQ(load(cache, 1152, 1153), 1u);
  EXPECT_EQ(load(cache, 1153, 1184), 0u);
  EXPECT_EQ(load(cache, 1183, 1185), 1u);
  // Across lines.
  EXPECT_EQ(load(cache, 1152, 1152 + 256), 2u + 4);
  cache.clear();
  EXPECT_EQ(load(cache, 1024, 1024 + 128), 4u);
}

TEST(LoadCache, LoadsThatDoNotFit) {
  LoadCache cache;
  auto loadAll = [&](uint64_t lines) {
    uint32_t missed = 0;
    for (uint64_t line = 0; line < lines; ++line)
      missed += load(cache, 128 * line, 128 * line + 4);
    return missed;
  };
  EXPECT_EQ(loadAll(256), 256u);
  EXPECT_EQ(loadAll(256), 0u);
  EXPECT_EQ(loadAll(257), 1u);
  EXPECT_EQ(loadAll(257), 257u);
}

TEST(LoadCache, PartOfAWarp) {
  LoadCache cache(/*capacity=*/2);
  EXPECT_EQ(load(cache, 0, 4), 1u);
  EXPECT_EQ(load(cache, 128, 132), 1u);
  EXPECT_EQ(load(cache, 0, 4), 0u);
  EXPECT_EQ(load(cache, 256, 260), 1u);
  EXPECT_EQ(load(cache, 0, 4), 1u);
}

TEST(LoadCache, LinesOfARequest) {
  LoadCache cache;
  LoadCache::Missed missed;
  // Two parts of one line, and all of the next.
  cache.load(1024, 1032, missed);
  cache.load(1088, 1096, missed);
  cache.load(1152, 1280, missed);
  EXPECT_EQ(missed.sectors, 6u);
  EXPECT_EQ(missed.lines, 2u);
  // The first of them again, with a sector that is there.
  LoadCache::Missed again;
  cache.load(1024, 1032, again);
  cache.load(1056, 1064, again);
  cache.load(1152, 1280, again);
  EXPECT_EQ(again.sectors, 1u);
  EXPECT_EQ(again.lines, 1u);
}

} // namespace
