//===- RandomCoverTest.cpp - Every point once, for random chains ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random index spaces of rank 1 to 10 under random chains of every combinator
// that is legal where it stands: each index has one thread, which knows it, and
// the guard selects exactly these threads. 5000 cases, half of them with
// bounds, steps and widths that only symbols give.
//
//===----------------------------------------------------------------------===//

#include "SpaceSamples.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <map>
#include <random>

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;

/// Members of a space that a case may have, whatever is mapped to what.
static constexpr int64_t kMostMembers = 400;

namespace {
/// One seeded case.
class RandomCase {
public:
  explicit RandomCase(unsigned seed)
      : random(seed), number(/*symbolic=*/seed % 2 == 1),
        current(makeSpace(drawSpace(), number)), domain(current) {
    for (int64_t length = draw(0, 9); length > 0; --length)
      step();
    if (draw(0, 2) > 0)
      finish();
  }

  /// From `low` to `high`, both possible.
  int64_t draw(int64_t low, int64_t high) {
    return low + int64_t(random() % uint64_t(high - low + 1));
  }

  std::mt19937_64 random;
  Numbers number;
  IndexSpace current, domain;
  std::vector<Combinator> chain;

private:
  SpaceNumbers drawSpace() {
    SpaceNumbers ranges;
    int64_t rank = draw(1, 10), room = kMostMembers / 4;
    for (int64_t dim = 0; dim < rank; ++dim) {
      int64_t lower = draw(0, 1) ? 0 : draw(-9, 9);
      int64_t most = std::min<int64_t>(room, draw(0, 3) ? 4 : 40);
      int64_t extent = draw(0, 60) ? draw(1, most) : 0;
      int64_t step = draw(0, 2) ? 1 : draw(1, 7);
      ranges.push_back({lower, lower + extent, step, draw(1, step)});
      room /= std::max<int64_t>(extent, 1);
    }
    std::shuffle(ranges.begin(), ranges.end(), random);
    return ranges;
  }

  Combinator drawStep() {
    int64_t rank = current.rank();
    switch (draw(0, 8)) {
    case 0:
    case 1:
      return Combinator::shiftLb();
    case 2: {
      SmallVector<int64_t> flags;
      for (int64_t dim = 0; dim < rank; ++dim)
        flags.push_back(draw(0, 3) > 0);
      return Combinator::compressGrid(flags);
    }
    case 3:
      return Combinator::maskGrid();
    case 4:
      return Combinator::foldLast2();
    case 5:
      return Combinator::splitLast(draw(1, 9));
    case 6:
      return Combinator::splitEven(draw(1, 9));
    case 7:
      return Combinator::padLast(draw(1, 6));
    default: {
      SmallVector<int64_t> order;
      for (int64_t dim = 0; dim < rank; ++dim)
        order.push_back(dim);
      std::shuffle(order.begin(), order.end(), random);
      return Combinator::permute(order);
    }
    }
  }

  /// Appends a combinator, if it is legal here and the space stays small.
  void step() {
    for (unsigned attempt = 0; attempt < 20; ++attempt)
      if (append(drawStep()))
        return;
  }

  void finish() {
    for (unsigned attempt = 0; attempt < 20; ++attempt) {
      int64_t rank = current.rank(), loops = draw(0, rank), left = rank;
      if (draw(0, 1)) {
        if (!append(Combinator::serial(loops)))
          continue;
        left -= loops;
      }
      int64_t inBlock = std::min<int64_t>(draw(0, left), 3);
      if (left - inBlock <= 3)
        append(Combinator::gridBlock(inBlock));
      return;
    }
  }

  bool append(const Combinator &combinator) {
    llvm::Expected<MapStep> step = combinator.apply(current);
    if (!step) {
      llvm::consumeError(step.takeError());
      return false;
    }
    const IndexSpace &image = step->image;
    int64_t members = 1;
    for (AffineExpr extent : image.extents())
      members *= std::max<int64_t>(number.at(extent), 1);
    if (members > kMostMembers)
      return false;
    current = image;
    chain.push_back(combinator);
    return true;
  }
};
} // namespace

class RandomCover : public testing::TestWithParam<unsigned> {};

/// Cases in each of 20 tests.
static constexpr unsigned kCases = 250;

INSTANTIATE_TEST_SUITE_P(Seeds, RandomCover, testing::Range(0u, 20u));

TEST_P(RandomCover, EachPointOnce) {
  for (unsigned i = 0; i < kCases; ++i) {
    RandomCase sample(GetParam() * kCases + i);
    llvm::Expected<Mapping> mapping = Mapping::get(sample.domain, sample.chain);
    ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
    expectLaws(*mapping, sample.number);
    if (!HasFailure())
      continue;
    std::string text;
    llvm::raw_string_ostream(text) << *mapping;
    FAIL() << "seed " << GetParam() * kCases + i << ": " << text;
  }
}

// The cases are worth their number only if they use what there is.
TEST(RandomCases, UseEveryCombinatorRankAndKindOfSpace) {
  std::map<std::string, unsigned> uses;
  std::map<unsigned, unsigned> ranks;
  unsigned dense = 0, empty = 0, points = 0;
  for (unsigned seed = 0; seed < 20 * kCases; ++seed) {
    RandomCase sample(seed);
    ++ranks[sample.domain.rank()];
    dense += sample.domain.isDense();
    size_t count = members(sample.domain, sample.number).size();
    empty += count == 0;
    points += count > 20;
    for (const Combinator &combinator : sample.chain)
      ++uses[combinator.name().str()];
  }
  EXPECT_EQ(uses.size(), 10u);
  for (const auto &[name, count] : uses)
    EXPECT_GT(count, 300u) << name;
  EXPECT_EQ(ranks.size(), 10u);
  for (const auto &[rank, count] : ranks)
    EXPECT_GT(count, 300u) << rank;
  EXPECT_GT(dense, 500u);
  EXPECT_LT(dense, 2500u);
  EXPECT_GT(empty, 100u);
  EXPECT_LT(empty, 1000u);
  EXPECT_GT(points, 2500u);
}
