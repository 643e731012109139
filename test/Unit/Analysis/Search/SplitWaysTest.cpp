//===- SplitWaysTest.cpp - Ways to divide a sum, and bounds of them -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "Search/PlanSearch.h"
#include "Search/SplitWays.h"

#include "tc/Analysis/CostModel.h"
#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"

using namespace mlir;
using namespace mlir::tc;

namespace {

MachineAttr getMachine(MLIRContext &context) {
  return *MachineAttr::getKnown(
      &context, "sm_90a", [&] { return emitError(UnknownLoc::get(&context)); });
}

Workload getWork(Program &program) {
  return getWorkload(program.op, *getStrideTable(program.op));
}

/// tccg_14: c[b, a] from [d, a, c] and [b, c, d].
Program getLongSum() {
  Sample sample;
  sample.extents = {296, 312, 312, 312};
  sample.operands = {{2, 1, 3}, {0, 3, 2}, {0, 1}};
  return sample.build("f32");
}

TEST(SplitWaysTest, PartsAreEqualAndRise) {
  Program program = getLongSum();
  Workload work = getWork(program);
  SmallVector<PerIterator> ways =
      enumerateSplits(work, getRates(getMachine(program.context)));
  ASSERT_FALSE(ways.empty());
  int64_t last = 2;
  for (const PerIterator &way : ways) {
    EXPECT_GE(countParts(way), last);
    last = countParts(way);
    EXPECT_EQ(way[0] * way[1], 1);
    for (unsigned i : {2, 3}) {
      EXPECT_EQ(work.extents[i] % way[i], 0);
      EXPECT_EQ(work.extents[i] / way[i] % 4, 0) << "half a sector";
    }
  }
  EXPECT_TRUE(llvm::is_contained(ways, PerIterator({1, 1, 13, 1})));
  EXPECT_TRUE(llvm::is_contained(ways, PerIterator({1, 1, 6, 2})));
}

TEST(SplitWaysTest, SomethingIsLeftOfAPrime) {
  Sample sample;
  sample.extents = {64, 1000003};
  sample.operands = {{0, 1}, {1}, {0}};
  Program program = sample.build("f32");
  SmallVector<PerIterator> ways =
      enumerateSplits(getWork(program), getRates(getMachine(program.context)));
  EXPECT_TRUE(llvm::is_contained(ways, PerIterator({1, 132})));
}

/// 296 x 312 results: blocks and parts together are a little less than a
/// multiple of the 132 multiprocessors.
TEST(SplitWaysTest, PartsAndTilesFillTheMachine) {
  Program program = getLongSum();
  auto found = searchPlans(program.op, *getStrideTable(program.op),
                           getMachine(program.context), 1);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_GT(countParts(found.front().plan.split), 1);
  EXPECT_LT(found.front().cost.tail, 1.05);
}

TEST(SplitWaysTest, NoPlanIsBetterThanTheBound) {
  std::mt19937_64 random(5);
  for (int run = 0; run < 60; ++run) {
    Program program = getSample(random, run % 9).build(run % 2 ? "f64" : "f32");
    Workload work = getWork(program);
    SearchSpace space(work, getMachine(program.context));
    double bound = std::numeric_limits<double>::infinity();
    for (const Tiling &tiling : space.tilings.getAll())
      bound = std::min(bound, space.tilings.getBound(tiling, /*parts=*/1));
    auto isLegal = [](const TilePlan &) { return true; };
    TileCache tiles;
    int64_t evaluated = 0;
    for (const RankedPlan &best :
         searchPlans(work, space, /*parts=*/1, 4, isLegal, SearchEffort(),
                     tiles, evaluated))
      EXPECT_GE(best.cost.seconds, bound * (1 - 1e-6)) << program.op;
  }
}

} // namespace
