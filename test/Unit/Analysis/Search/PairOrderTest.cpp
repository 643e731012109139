//===- PairOrderTest.cpp - A product of many arrays, two at a time --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/PairOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include "gtest/gtest.h"

#include <limits>
#include <map>
#include <random>

using namespace mlir::tc;
using llvm::SmallVector;
using llvm::StringRef;

namespace {

using Sizes = std::map<char, int64_t>;

/// The shape of an einsum "ij,jk->ik"; labels beyond it may have sizes too.
ProductShape getShape(StringRef einsum, const Sizes &sizes) {
  std::string labels;
  ProductShape shape;
  for (auto [label, size] : sizes) {
    labels += label;
    shape.extents.push_back(size);
  }
  auto getSet = [&](StringRef operand) {
    IteratorSet set(labels.size());
    for (char label : operand)
      set.set(labels.find(label));
    return set;
  };
  auto [inputs, result] = einsum.split("->");
  SmallVector<StringRef> operands;
  inputs.split(operands, ',');
  for (StringRef operand : operands)
    shape.inputs.push_back(getSet(operand));
  shape.result = getSet(result);
  return shape;
}

/// What a chain costs by its steps alone; checks that each step takes operands
/// that are there and not used yet, walks what they vary with, and sums only
/// what nothing else needs.
std::pair<int64_t, int64_t> replay(const ProductShape &shape,
                                   const PairChain &chain) {
  std::map<unsigned, IteratorSet> ready;
  for (auto [i, input] : llvm::enumerate(shape.inputs))
    ready[i] = input;
  int64_t flops = 0, temporaries = 0;
  for (auto [s, step] : llvm::enumerate(chain.steps)) {
    bool isLast = s + 1 == chain.steps.size();
    IteratorSet nest(shape.extents.size());
    for (std::optional<unsigned> number :
         {std::optional(step.left), step.right})
      if (number) {
        EXPECT_TRUE(ready.count(*number));
        nest |= ready[*number];
        ready.erase(*number);
      }
    IteratorSet needed = shape.result;
    for (auto &[number, set] : ready)
      needed |= set;
    int64_t points = 1, elements = 1;
    for (unsigned i : step.iterators.set_bits()) {
      points *= shape.extents[i];
      if (step.kept.test(i))
        elements *= shape.extents[i];
      else
        EXPECT_FALSE(needed.test(i));
    }
    EXPECT_FALSE(nest.test(step.iterators)); // walks all of its operands
    if (isLast) {
      EXPECT_TRUE(ready.empty());
      EXPECT_EQ(step.kept, shape.result);
    } else {
      EXPECT_EQ(nest, step.iterators);
      temporaries += elements;
    }
    bool sums = step.iterators.test(step.kept);
    flops += points * ((step.right ? 1 : 0) + sums);
    ready[shape.inputs.size() + s] = step.kept;
  }
  return {flops, temporaries};
}

/// The least cost over all orders and all ways to sum inputs first, by trying.
/// `alone`: inputs that may still be summed on their own.
using Arrays = SmallVector<std::pair<IteratorSet, bool>>;
std::pair<int64_t, int64_t> tryAll(const ProductShape &shape,
                                   const Arrays &arrays,
                                   const IteratorSet &idle) {
  auto count = [&](const IteratorSet &set) {
    int64_t points = 1;
    for (unsigned i : set.set_bits())
      points *= shape.extents[i];
    return points;
  };
  std::pair<int64_t, int64_t> best{std::numeric_limits<int64_t>::max(), 0};
  auto attempt = [&](size_t a, size_t b) {
    IteratorSet nest = arrays[a].first, needed = shape.result;
    nest |= arrays[b].first;
    Arrays rest;
    for (auto [i, array] : llvm::enumerate(arrays))
      if (i != a && i != b) {
        needed |= array.first;
        rest.push_back(array);
      }
    IteratorSet kept = nest;
    kept &= needed;
    bool isLast = a != b && rest.empty();
    if (isLast)
      nest |= idle;
    int64_t flops =
        count(nest) * ((a != b) + nest.test(isLast ? shape.result : kept));
    std::pair<int64_t, int64_t> after{0, 0};
    if (!isLast) {
      rest.push_back({kept, false});
      after = tryAll(shape, rest, idle);
      after.second += count(kept);
    }
    after.first += flops;
    best = std::min(best, after);
  };
  for (size_t a = 0; a < arrays.size(); ++a) {
    if (arrays[a].second)
      attempt(a, a);
    for (size_t b = a + 1; b < arrays.size(); ++b)
      attempt(a, b);
  }
  return best;
}

std::pair<int64_t, int64_t> tryAll(const ProductShape &shape) {
  Arrays arrays;
  IteratorSet idle(shape.extents.size(), true);
  for (const IteratorSet &input : shape.inputs) {
    arrays.push_back({input, true});
    idle.reset(input);
  }
  return tryAll(shape, arrays, idle);
}

TEST(PairOrder, CountsOneNest) {
  Sizes sizes{{'i', 10}, {'j', 50}, {'q', 100}, {'r', 5}};
  EXPECT_EQ(countFlops(getShape("iq,qr,rj->ij", sizes)), 750000);
  EXPECT_EQ(countFlops(getShape("i,i->i", {{'i', 10}})), 10);
  EXPECT_EQ(countFlops(getShape("i->", {{'i', 10}})), 10);
}

TEST(PairOrder, TakesTheBetterEndOfAChain) {
  Sizes sizes{{'i', 10}, {'j', 50}, {'q', 100}, {'r', 5}};
  PairChain chain = findBestChain(getShape("iq,qr,rj->ij", sizes));
  ASSERT_EQ(chain.steps.size(), 2u);
  EXPECT_EQ(chain.steps[0].left, 0u);
  EXPECT_EQ(chain.steps[0].right, 1u);
  EXPECT_EQ(chain.flops, 15000);
  EXPECT_EQ(chain.temporaries, 50);
}

TEST(PairOrder, SumsAnInputOnItsOwnOnlyWhereThatIsCheaper) {
  // 4 * 6 * 5 points of two flops, or 6 * 5 of one and 4 * 6 of two.
  PairChain first =
      findBestChain(getShape("iq,qr->i", {{'i', 4}, {'q', 6}, {'r', 5}}));
  EXPECT_EQ(first.steps.size(), 2u);
  EXPECT_FALSE(first.steps[0].right.has_value());
  EXPECT_EQ(first.flops, 78);
  // Nothing is walked more than once anyway: 12 * 2 flops, or 12 + 3 * 2.
  PairChain scaled = findBestChain(getShape("q,qr->", {{'q', 3}, {'r', 4}}));
  EXPECT_EQ(scaled.flops, 18);
  // One element to sum: a step of its own would cost more.
  PairChain single = findBestChain(getShape("i,ir->i", {{'i', 4}, {'r', 1}}));
  EXPECT_EQ(single.steps.size(), 1u);
}

TEST(PairOrder, HasTheLeastCostOfAllOrders) {
  std::mt19937 random(0);
  auto pick = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  for (int round = 0; round < 300; ++round) {
    unsigned iterators = pick(1, 7);
    ProductShape shape;
    for (unsigned i = 0; i < iterators; ++i)
      shape.extents.push_back(pick(1, 9));
    auto pickSet = [&](int in) {
      IteratorSet set(iterators);
      for (unsigned i = 0; i < iterators; ++i)
        if (pick(0, in) == 0)
          set.set(i);
      return set;
    };
    for (int input = pick(2, 4); input > 0; --input)
      shape.inputs.push_back(pickSet(1));
    shape.result = pickSet(2);
    PairChain chain = findBestChain(shape);
    std::pair<int64_t, int64_t> cost{chain.flops, chain.temporaries};
    EXPECT_EQ(cost, replay(shape, chain));
    EXPECT_EQ(cost, tryAll(shape)) << "round " << round;
  }
}

/// A product of `count` matrices whose sizes go round 2, 3, 4 ....
ProductShape getMatrices(unsigned count, unsigned largest) {
  ProductShape shape;
  for (unsigned i = 0; i <= count; ++i)
    shape.extents.push_back(2 + i % largest);
  shape.result = IteratorSet(count + 1);
  shape.result.set(0).set(count);
  for (unsigned i = 0; i < count; ++i) {
    shape.inputs.emplace_back(count + 1);
    shape.inputs.back().set(i).set(i + 1);
  }
  return shape;
}

/// The textbook's least multiplications of a chain of matrices, twice.
int64_t getMatrixFlops(const ProductShape &shape) {
  size_t n = shape.inputs.size();
  std::vector<std::vector<int64_t>> least(n, std::vector<int64_t>(n, 0));
  for (size_t length = 2; length <= n; ++length)
    for (size_t i = 0, j = length - 1; j < n; ++i, ++j) {
      least[i][j] = std::numeric_limits<int64_t>::max();
      for (size_t k = i; k < j; ++k)
        least[i][j] = std::min(least[i][j], least[i][k] + least[k + 1][j] +
                                                2 * shape.extents[i] *
                                                    shape.extents[k + 1] *
                                                    shape.extents[j + 1]);
    }
  return least[0][n - 1];
}

TEST(PairOrder, IsExactUpToTwelveMatrices) {
  ProductShape shape = getMatrices(ProductShape::kMostExact, 5);
  PairChain chain = findBestChain(shape);
  EXPECT_EQ(chain.flops, getMatrixFlops(shape));
  EXPECT_EQ(chain.flops, replay(shape, chain).first);
}

TEST(PairOrder, IsGoodForMore) {
  for (unsigned count : {13, 20, 40}) {
    ProductShape shape = getMatrices(count, 7);
    PairChain chain = findBestChain(shape);
    auto [flops, temporaries] = replay(shape, chain);
    EXPECT_EQ(chain.flops, flops);
    EXPECT_EQ(chain.temporaries, temporaries);
    EXPECT_GE(chain.flops, getMatrixFlops(shape));
    EXPECT_LT(chain.flops, 3 * getMatrixFlops(shape));
  }
}

TEST(PairOrder, DoesNotOverflow) {
  ProductShape shape = getMatrices(4, 5);
  for (int64_t &extent : shape.extents)
    extent = int64_t(1) << 40;
  EXPECT_EQ(countFlops(shape), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(findBestChain(shape).flops, std::numeric_limits<int64_t>::max());
}

} // namespace
