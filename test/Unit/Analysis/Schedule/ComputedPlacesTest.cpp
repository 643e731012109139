//===- ComputedPlacesTest.cpp - Results that a block computes -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Schedules.h"

#include "tc/Target/Mma.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <tuple>

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Rows along iterator 0 and columns along iterator 1.
struct Draw {
  TilePlan plan{2};
  int64_t extent = 1;
};
} // namespace

static Draw draw(std::mt19937_64 &random, unsigned i, bool areFolded) {
  Draw drawn;
  for (unsigned k : {0, 1}) {
    drawn.plan.thread[k] = (k ? 4 : 8) << random() % 3;
    drawn.plan.reg[k] = 1 + random() % 6;
    drawn.plan.vector[k] = int64_t(1) << random() % 3;
  }
  drawn.extent = drawn.plan.vector[i] * (1 + random() % 200);
  if (areFolded) {
    MmaFold fold;
    fold.shape = findMmaShape(random() % 2 ? "m16n8k4.f64" : "m8n8k4.f64");
    fold.rows = {{0, 8}};
    fold.columns = {{1, 4}};
    drawn.plan.mma = fold;
  }
  return drawn;
}

/// The first input varies with rows, the second with columns.
static SmallVector<Access, 2> getFactors() {
  SmallVector<Access, 2> factors(2);
  factors[0].strides = {1, 0};
  factors[1].strides = {0, 1};
  return factors;
}

/// The places of all instructions that have one inside; or of all that some
/// warp has, if a block takes as long as each of its warps.
static int64_t countByPlaces(const Draw &drawn, unsigned i, bool areTogether) {
  const TilePlan &plan = drawn.plan;
  int64_t vector = plan.vector[i], threads = plan.thread[i], reg = plan.reg[i];
  int64_t lanes = areTogether ? threads : plan.mma->getLanes(i);
  int64_t pair = i == 0 ? plan.mma->shape->countRows() : kMmaColumnsPerLane;
  if (vector % pair == 0 || reg % pair != 0)
    pair = 1;
  std::map<std::tuple<int64_t, int64_t, int64_t>, std::pair<int64_t, bool>>
      found; // by block, registers and warp
  int64_t all = llvm::alignTo(drawn.extent, plan.getBlock(i));
  for (int64_t place = 0; place < all; ++place) {
    int64_t row = place / vector, block = place / plan.getBlock(i);
    auto &[places, isInside] =
        found[{block, row / threads % reg / pair, row % threads / lanes}];
    ++places;
    isInside |= place < drawn.extent;
  }
  int64_t sum = 0;
  for (auto &[instruction, counted] : found)
    sum += counted.second ? counted.first : 0;
  return sum;
}

TEST(ComputedPlacesTest, AreThoseOfInstructionsWithAResultInside) {
  std::mt19937_64 random(5);
  int spared = 0;
  for (int run = 0; run < 2000; ++run)
    for (unsigned i : {0, 1}) {
      Draw drawn = draw(random, i, /*areFolded=*/true);
      int64_t computed = countComputed(drawn.plan, i, drawn.extent,
                                       {false, false}, getFactors());
      EXPECT_EQ(computed, countByPlaces(drawn, i, /*areTogether=*/false));
      EXPECT_EQ(countComputedTogether(drawn.plan, i, drawn.extent,
                                      {false, false}, getFactors()),
                countByPlaces(drawn, i, /*areTogether=*/true));
      spared += computed <
                int64_t(llvm::alignTo(drawn.extent, drawn.plan.getBlock(i)));
    }
  EXPECT_GT(spared, 1000);
}

TEST(ComputedPlacesTest, AreAllWithMultiplyAdds) {
  std::mt19937_64 random(6);
  for (int run = 0; run < 200; ++run) {
    Draw drawn = draw(random, 0, /*areFolded=*/false);
    EXPECT_EQ(countComputed(drawn.plan, 0, drawn.extent, {false, false},
                            getFactors()),
              int64_t(llvm::alignTo(drawn.extent, drawn.plan.getBlock(0))));
  }
}
