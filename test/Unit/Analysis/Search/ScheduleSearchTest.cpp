//===- ScheduleSearchTest.cpp - The search is legal, steady and short -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "Search/PlainPlan.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"

using namespace mlir;
using namespace mlir::tc;

namespace {

MachineAttr getMachine(MLIRContext &context, StringRef chip = "sm_90a") {
  return *MachineAttr::getKnown(
      &context, chip, [&] { return emitError(UnknownLoc::get(&context)); });
}

std::string print(Attribute attribute) {
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// sd1_1 of coupled cluster, rank 6: [f, e, d, c, b, a] from [c, e, f, g] and
/// [g, d, b, a].
Sample getTriples(int64_t extent) {
  Sample sample;
  sample.extents.assign(7, extent);
  sample.operands = {{2, 4, 5, 6}, {6, 3, 1, 0}, {5, 4, 3, 2, 1, 0}};
  return sample;
}

std::vector<std::string> search(const Sample &sample, unsigned count,
                                int64_t *evaluated = nullptr) {
  Program program = sample.build("f32");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  std::vector<std::string> found;
  for (RankedPlan &best :
       searchPlans(program.op, *access, getMachine(program.context), count, {},
                   evaluated))
    found.push_back(print(getSchedule(program.op, best.plan)));
  return found;
}

TEST(ScheduleSearchTest, FindsTheSameEveryTime) {
  std::vector<std::string> first = search(getTriples(16), 8);
  EXPECT_EQ(first.size(), 8u);
  for (int run = 0; run < 3; ++run)
    EXPECT_EQ(search(getTriples(16), 8), first);
}

TEST(ScheduleSearchTest, BestComeFirstAndDiffer) {
  Program program = getTriples(24).build("f64");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto found =
      searchPlans(program.op, *access, getMachine(program.context), 20);
  ASSERT_EQ(found.size(), 20u);
  for (size_t n = 1; n < found.size(); ++n) {
    EXPECT_LE(found[n - 1].cost.score, found[n].cost.score);
    for (size_t other = 0; other < n; ++other)
      EXPECT_FALSE(found[n].plan == found[other].plan);
  }
}

/// Of random contractions: every plan is legal, none is predicted worse than
/// the best of some plain ones, and the number of evaluations is bounded.
TEST(ScheduleSearchTest, BeatsPlainPlans) {
  std::mt19937_64 random(12);
  for (int run = 0; run < 150; ++run) {
    Program program = getSample(random, run % 9).build(run % 2 ? "f64" : "f32");
    FailureOr<StrideTable> access = getStrideTable(program.op);
    MachineAttr machine =
        getMachine(program.context, run % 3 ? "sm_90a" : "sm_80");
    int64_t evaluated = 0;
    auto found = searchPlans(program.op, *access, machine, 2, {}, &evaluated);
    ASSERT_FALSE(found.empty()) << program.op;
    EXPECT_LE(evaluated, 5000);
    for (RankedPlan &best : found) {
      auto problem = findScheduleProblem(
          program.op, *access, getSchedule(program.op, best.plan), machine);
      EXPECT_FALSE(problem) << *problem;
    }
    Workload work = getWorkload(program.op, *access);
    for (int64_t threads : {64, 256})
      for (int64_t terms : {4, 16}) {
        KernelCost own = predictCost(work, getPlainPlan(work, threads, terms),
                                     getRates(machine));
        EXPECT_LE(found.front().cost.score, own.score * 1.0001)
            << program.op << "\n"
            << print(getSchedule(program.op, found[0].plan));
      }
  }
}

/// TCCG 23 in bf16, where vectors of 8 and of 4 terms may make the tile of a
/// step too large: among the best there are some with 2.
TEST(ScheduleSearchTest, NarrowNumbersHaveShortVectorsOfTerms) {
  Sample sample; // a, b, c, d, e, f
  sample.extents.assign(6, 72);
  sample.operands = {{5, 2, 4, 0}, {3, 4, 1, 5}, {3, 2, 1, 0}};
  Program program = sample.build("bf16");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto found =
      searchPlans(program.op, *access, getMachine(program.context), 40);
  for (int64_t vector : {2, 8})
    EXPECT_TRUE(llvm::any_of(found, [&](const RankedPlan &ranked) {
      return ranked.plan.vector[5] == vector;
    })) << vector;
}

/// A matrix product: rows are read by 16 bytes without a conflict only where
/// lanes agree in pairs.
TEST(ScheduleSearchTest, PairsLanesForWideReads) {
  Sample sample;
  sample.extents = {2048, 2048, 2048};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto found = searchPlans(program.op, *access, getMachine(program.context), 1);
  ASSERT_EQ(found.size(), 1u);
  const TilePlan &plan = found.front().plan;
  llvm::SmallDenseSet<unsigned> iterators;
  for (const LaneFactor &lane : plan.lanes)
    iterators.insert(lane.iterator);
  EXPECT_LT(iterators.size(), plan.lanes.size())
      << print(getSchedule(program.op, plan));
}

/// A product with too few results for all threads: those that share a sum are
/// in different warps, or far from each other, so that others read in pairs and
/// few warps gather.
TEST(ScheduleSearchTest, ThreadsThatShareAreNoNeighbours) {
  Sample sample;
  sample.extents = {256, 256, 1024};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto found = searchPlans(program.op, *access, getMachine(program.context), 1);
  ASSERT_EQ(found.size(), 1u);
  const TilePlan &plan = found.front().plan;
  EXPECT_GT(plan.thread[2], 1) << print(getSchedule(program.op, plan));
  EXPECT_NE(plan.lanes.back().iterator, 2u)
      << print(getSchedule(program.op, plan));
}

/// tccg_35 in f64: of many tiles of good bound most need more registers than
/// there are.
TEST(ScheduleSearchTest, LooksOnWhereTilesDoNotFit) {
  Sample sample;
  sample.extents = {16, 16, 24, 16, 16, 24, 24};
  sample.operands = {{4, 6, 0, 2}, {3, 5, 1, 6}, {0, 1, 2, 3, 4, 5}};
  Program program = sample.build("f64");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  EXPECT_EQ(
      searchPlans(program.op, *access, getMachine(program.context), 8).size(),
      8u);
}

/// Sums of rows, and a scalar product: a result has several threads.
TEST(ScheduleSearchTest, LetsThreadsShareSums) {
  Sample rows, product;
  rows.extents = {4096, 4096};
  rows.operands = {{0, 1}, {0}};
  product.extents = {1 << 24};
  product.operands = {{0}, {0}, {}};
  for (const Sample &sample : {rows, product}) {
    Program program = sample.build("f32");
    FailureOr<StrideTable> access = getStrideTable(program.op);
    auto found =
        searchPlans(program.op, *access, getMachine(program.context), 4);
    ASSERT_FALSE(found.empty());
    EXPECT_GT(found.front().plan.thread.back(), 1)
        << print(getSchedule(program.op, found.front().plan));
  }
}

/// Two products into one result, the second of transposed inputs: all terms
/// have the tile of one, wide accesses, and copies ahead, within shared memory
/// that they share.
TEST(ScheduleSearchTest, SearchesTermsOfASum) {
  std::string type = "memref<1024x1024xf32>";
  Program program(
      {type, type, type},
      "tc.sum {\n"
      "tc.contract (i = 1024, j = 1024, k = 1024) ins(%0[i, k] : " +
          type + ", %1[k, j] : " + type + ") outs(%2[i, j] : " + type +
          ") overwrite\n"
          "tc.contract (i = 1024, j = 1024, q = 1024) ins(%0[q, i] : " +
          type + ", %1[j, q] : " + type + ") outs(%2[i, j] : " + type + ")\n}");
  SmallVector<ContractOp> ops;
  program.module->walk([&](ContractOp op) { ops.push_back(op); });
  auto choice = searchSchedules(ops, getMachine(program.context));
  ASSERT_TRUE(succeeded(choice));
  ASSERT_EQ(choice->schedules.size(), 2u);
  ScheduleAttr first = choice->schedules[0], second = choice->schedules[1];
  // Those along the terms have a name of their own in each.
  auto getThreads = [](ScheduleAttr schedule) {
    return llvm::map_to_vector(schedule.getThread(), [](Factor factor) {
      StringRef iterator = factor.iterator.getValue();
      return std::pair(iterator == "q" ? StringRef("k") : iterator,
                       factor.value);
    });
  };
  EXPECT_EQ(getThreads(first), getThreads(second));
  EXPECT_EQ(first.getReg(), second.getReg());
  EXPECT_EQ(first.getVector("j"), second.getVector("j"));
  for (ScheduleAttr schedule : {first, second}) {
    EXPECT_GE(schedule.getBlock("i") * schedule.getBlock("j"), 1024);
    EXPECT_GT(schedule.getStages(), 1);
  }
  EXPECT_GT(second.getStep("q"), 1);
}

TEST(ScheduleSearchTest, IsLegalByOtherStridesThanCostsAreOf) {
  // A depthwise convolution of dynamic strides. Those of large extents have
  // other tiles of the input than those by which a plan is legal, of which more
  // would fit on a multiprocessor.
  std::string input = "memref<?x?x?x?xf32, strided<[?, ?, ?, ?], offset: ?>>",
              weights = "memref<?x?xf32, strided<[?, 1]>>",
              result = "memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>";
  Program program({input, weights, result, "index"},
                  "tc.contract (a = %3, b = %3, c = %3, q = %3) ins(%0[a, q, "
                  "b, c] : " +
                      input + ", %1[q, c] : " + weights +
                      ") outs(%2[a, b, c] : " + result + ")");
  MachineAttr machine = getMachine(program.context);
  FailureOr<StrideTable> judged = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(judged)) << program.messages;
  int64_t most = 0;
  for (int64_t nominal : {8, 32, 128, 512}) {
    Workload work =
        getWorkload(program.op, *getStrideTable(program.op, nominal));
    SearchRules rules;
    rules.mayBeSplit = false;
    rules.work = &work;
    for (const RankedPlan &ranked :
         searchPlans(program.op, *judged, machine, 16, rules)) {
      ScheduleAttr schedule = getSchedule(program.op, ranked.plan);
      std::optional<std::string> problem =
          findScheduleProblem(program.op, *judged, schedule, machine);
      EXPECT_FALSE(problem) << print(schedule) << ": " << *problem;
      most = std::max<int64_t>(most, ranked.plan.resident);
    }
  }
  EXPECT_GT(most, 8);
}

TEST(ScheduleSearchTest, CountsDynamicExtentsAsNominal) {
  auto choose = [](const std::string &type, const std::string &extent) {
    Program program({type, type}, "%c5 = arith.constant 5 : index\n"
                                  "%n = arith.addi %c5, %c5 : index\n"
                                  "tc.contract (a = " +
                                      extent + ") ins(%0[a] : " + type +
                                      ") outs(%1[a] : " + type + ") overwrite");
    FailureOr<StrideTable> access = getStrideTable(program.op);
    auto found =
        searchPlans(program.op, *access, getMachine(program.context), 1);
    return found.empty() ? "" : print(getSchedule(program.op, found[0].plan));
  };
  std::string expected = choose("memref<256xf32>", "256");
  EXPECT_NE(expected, "");
  EXPECT_EQ(choose("memref<?xf32>", "%n"), expected);
}

} // namespace
