//===- SchedulesTest.cpp - Schedules that are legal, and that are not -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "tc/Analysis/ScheduleSearch.h"
#include "tc/Analysis/Schedules.h"
#include "tc/Analysis/Split.h"
#include "tc/Target/Machine.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace {

MachineAttr getMachine(MLIRContext &context, StringRef chip) {
  return *MachineAttr::getKnown(
      &context, chip, [&] { return emitError(UnknownLoc::get(&context)); });
}

ScheduleAttr choose(ContractOp op, MachineAttr machine) {
  return searchSchedules(op, machine)->schedules.front();
}

/// The part of the accumulators that hold results: extents over whole tiles.
double getUsefulShare(ContractOp op, const StrideTable &access,
                      ScheduleAttr schedule) {
  double share = 1;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (!access.contracted[i])
      share *= double(access.extents[i]) /
               double(llvm::alignTo(access.extents[i],
                                    schedule.getBlock(op.getIterator(i))));
  return share;
}

/// Are there rows and columns, so that registers hold a tile of results?
bool hasReuse(const StrideTable &access) {
  uint64_t sides = 0;
  for (unsigned i = 0, e = access.getNumIterators(); i < e; ++i)
    if (!access.contracted[i] && access.extents[i] > 1 &&
        llvm::isPowerOf2_64(access.getInputsVarying(i)))
      sides |= access.getInputsVarying(i);
  return llvm::popcount(sides) > 1;
}

/// What every schedule of `op` must hold to, beside the limits of the machine.
void expectFactorsFit(ContractOp op, const StrideTable &access,
                      ScheduleAttr schedule) {
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i) {
    StringRef name = op.getIterator(i);
    int64_t extent = access.extents[i];
    int64_t threads = schedule.getThread(name);
    // No thread without a result or a term, no register that no block needs.
    EXPECT_LE(threads, extent);
    if (access.contracted[i]) {
      int64_t round = threads * schedule.getVector(name);
      EXPECT_EQ(schedule.getStep(name) % round, 0);
      EXPECT_LE(schedule.getStep(name), llvm::alignTo(extent, round));
      continue;
    }
    EXPECT_LE(schedule.getRegister(name), llvm::divideCeil(extent, threads));
  }
}

class ChosenSchedule : public testing::TestWithParam<std::string> {};

TEST_P(ChosenSchedule, IsLegalForRandomContractions) {
  std::mt19937_64 random(4);
  double total = 0, least = 1;
  int samples = 0, counted = 0;
  for (unsigned run = 0; run < 33; ++run) {
    Sample sample = getSample(random, run % 11);
    for (const char *element : {"f32", "f64"}) {
      Program program = sample.build(element);
      ContractOp op = program.op;
      FailureOr<StrideTable> access = getStrideTable(op);
      ASSERT_TRUE(succeeded(access)) << program.messages;
      MachineAttr machine = getMachine(program.context, GetParam());
      ScheduleAttr schedule = choose(op, machine);
      auto problem = findScheduleProblem(op, *access, schedule, machine);
      std::string text;
      llvm::raw_string_ostream(text) << op << "\n" << schedule;
      ASSERT_FALSE(problem) << *problem << "\n" << text;
      expectFactorsFit(op, *access, schedule);
      ++samples;
      if (!hasReuse(*access))
        continue;
      double share = getUsefulShare(op, *access, schedule);
      total += share;
      ++counted;
      least = std::min(least, share);
      // Measured: 0.584 at worst, 0.932 on average.
      EXPECT_GE(share, 0.55) << text;
    }
  }
  EXPECT_GE(samples, 66);
  EXPECT_GE(counted, 18);
  EXPECT_GE(total / counted, 0.92);
  RecordProperty("least_useful_share", std::to_string(least));
  RecordProperty("counted", counted);
  RecordProperty("mean_useful_share", std::to_string(total / counted));
}

std::vector<std::string> getChips() {
  std::vector<std::string> chips;
  for (const Machine &machine : knownMachines())
    chips.push_back(machine.name.str());
  return chips;
}

INSTANTIATE_TEST_SUITE_P(Chips, ChosenSchedule, testing::ValuesIn(getChips()),
                         [](const auto &info) { return info.param; });

/// A matrix product of 512 x 512 x 500, f32.
Program getProduct(const std::string &element = "f32") {
  Sample sample;
  sample.extents = {512, 512, 500};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  return sample.build(element);
}

TEST(ChosenScheduleTest, ObeysASmallMachine) {
  for (int64_t threads : {1, 7, 32, 100, 1024})
    for (int64_t registers : {64, 100, 255})
      for (int64_t bytes : {256, 1000, 49152}) {
        Program program = getProduct();
        auto machine = MachineAttr::get(&program.context, "small", 1, 32,
                                        threads, registers, 65536, bytes);
        FailureOr<StrideTable> access = getStrideTable(program.op);
        ScheduleAttr schedule = choose(program.op, machine);
        EXPECT_FALSE(
            findScheduleProblem(program.op, *access, schedule, machine));
      }
}

TEST(ChosenScheduleTest, NeedsNoOptIntoSharedMemory) {
  for (StringRef chip : {"sm_75", "sm_80", "sm_86", "sm_90a", "sm_120"}) {
    Program program = getProduct();
    MachineAttr machine = getMachine(program.context, chip);
    FailureOr<StrideTable> access = getStrideTable(program.op);
    ScheduleNeeds needs =
        getNeeds(program.op, *access, choose(program.op, machine));
    EXPECT_LE(needs.sharedBytes, Machine().sharedBytesPerBlock);
    EXPECT_GT(machine.getBlockSharedBytes(), Machine().sharedBytesPerBlock);
  }
}

TEST(ChosenScheduleTest, ReusesWhatItStages) {
  // Each staged value is used for at least 32 results on each side.
  Sample sample;
  sample.extents = {4096, 4096, 4096};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ScheduleAttr schedule =
      choose(program.op, getMachine(program.context, "sm_80"));
  EXPECT_GE(schedule.getBlock("a"), 32);
  EXPECT_GE(schedule.getBlock("b"), 32);
  // The fastest threads walk the result's unit stride, but for pairs.
  Factor last = schedule.getThread().back();
  if (last.value == 2)
    last = schedule.getThread().drop_back().back();
  EXPECT_EQ(last.iterator.getValue(), "b");
}

//===----------------------------------------------------------------------===//
// findScheduleProblem
//===----------------------------------------------------------------------===//

using Factors = ArrayRef<std::pair<StringRef, int64_t>>;

std::string findProblem(Program &program, Factors thread, Factors reg,
                        Factors step, StringRef chip = "sm_80") {
  auto make = [&](Factors list) {
    return llvm::map_to_vector(list, [&](auto pair) {
      return Factor{StringAttr::get(&program.context, pair.first), pair.second};
    });
  };
  auto schedule = ScheduleAttr::get(&program.context, make(thread), make(reg),
                                    make(step), Kernel::Fma);
  FailureOr<StrideTable> access = getStrideTable(program.op);
  return findScheduleProblem(program.op, *access, schedule,
                             getMachine(program.context, chip))
      .value_or("");
}

TEST(ScheduleProblemTest, NamesTheLimit) {
  Program program = getProduct();
  EXPECT_EQ(findProblem(program, {{"a", 16}, {"b", 16}}, {{"a", 4}, {"b", 4}},
                        {{"c", 16}}),
            "");
  EXPECT_EQ(findProblem(program, {{"a", 32}, {"b", 32}}, {}, {}), "");
  EXPECT_EQ(findProblem(program, {{"a", 32}, {"b", 33}}, {}, {}),
            "expected at most 1024 threads in a block of sm_80, got 1056");
  // Two tiles of 128 x 256 elements, the second with its rows made odd.
  EXPECT_EQ(
      findProblem(program, {{"a", 16}, {"b", 16}}, {{"a", 8}, {"b", 8}},
                  {{"c", 256}}, "sm_90a"),
      "expected at most 232448 bytes of shared memory on sm_90a, got 262656");
  EXPECT_EQ(findProblem(program, {{"b", 32}}, {{"a", 16}, {"b", 16}}, {}),
            "expected at most 255 registers in a thread of a block of 32 on "
            "sm_80, got an estimate of 332");
  EXPECT_EQ(
      findProblem(program, {{"a", 32}, {"b", 32}}, {{"a", 4}, {"b", 4}}, {}),
      "expected at most 64 registers in a thread of a block of 1024 on "
      "sm_80, got an estimate of 68");
}

TEST(ScheduleProblemTest, CountsTheRegistersOfWholeWarps) {
  // 31 warps are eight in a partition, with 64 registers a thread.
  Program program = getProduct();
  EXPECT_EQ(findProblem(program, {{"b", 961}}, {{"a", 16}}, {}),
            "expected at most 64 registers in a thread of a block of 961 on "
            "sm_80, got an estimate of 77");
}

TEST(ScheduleProblemTest, CountsWideValuesTwice) {
  Program single = getProduct("f32"), wide = getProduct("f64");
  EXPECT_EQ(findProblem(single, {{"b", 64}}, {{"a", 8}, {"b", 16}}, {}), "");
  EXPECT_EQ(findProblem(wide, {{"b", 64}}, {{"a", 8}, {"b", 16}}, {}),
            "expected at most 255 registers in a thread of a block of 64 on "
            "sm_80, got an estimate of 348");
}

TEST(ScheduleProblemTest, CountsEachInputByItsOwnElements) {
  Program program({"memref<64x64xf64>", "memref<64xf32>"},
                  "tc.contract (i = 64, q = 64) "
                  "ins(%0[i, q] : memref<64x64xf64>) "
                  "outs(%1[i] : memref<64xf32>) map (%x: f64) {\n"
                  "  %y = arith.truncf %x : f64 to f32\n"
                  "  tc.yield %y : f32\n}");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto schedule = ScheduleAttr::get(
      &program.context, {{StringAttr::get(&program.context, "i"), 32}}, {},
      {{StringAttr::get(&program.context, "q"), 8}}, Kernel::Fma);
  ScheduleNeeds needs = getNeeds(program.op, *access, schedule);
  EXPECT_EQ(needs.threads, 32);
  EXPECT_EQ(needs.sharedBytes, 32 * 9 * 8);
}

TEST(ScheduleProblemTest, TakesPartialStepsWithoutAFill) {
  // c is in both inputs; d is summed in the first alone.
  Sample sample;
  sample.extents = {64, 64, 30, 30};
  sample.operands = {{0, 2, 3}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  EXPECT_EQ(findProblem(program, {}, {}, {{"c", 4}, {"d", 5}}), "");
  EXPECT_EQ(findProblem(program, {}, {}, {{"c", 5}, {"d", 4}}), "");
}

/// Over i = 4, q = 6, r = 30, s = 5, with `laws` said of the combine region.
Program getOrdered(const std::string &laws) {
  return Program({"memref<4x6x30x5xf32>", "memref<4xf32>"},
                 "tc.contract (i = 4, q = 6, r = 30, s = 5) "
                 "ins(%0[i, q, r, s] : memref<4x6x30x5xf32>) "
                 "outs(%1[i] : memref<4xf32>) neutral(0.0 : f32) combine " +
                     laws +
                     " (%acc: f32, %x: f32) {\n"
                     "  tc.yield %x : f32\n}");
}

TEST(ScheduleProblemTest, KeepsTermsInOrder) {
  auto message = [](StringRef name, StringRef step) {
    return "expected no step of '" + name.str() +
           "' before whole steps of the contracted iterators after it, since "
           "terms are to be combined in order; got " +
           step.str();
  };
  for (const char *laws : {"", "associative", "commutative"}) {
    Program program = getOrdered(laws);
    auto find = [&](Factors step) {
      return findProblem(program, {{"i", 4}}, {}, step);
    };
    EXPECT_EQ(find({}), "");
    EXPECT_EQ(find({{"s", 4}}), "");
    EXPECT_EQ(find({{"r", 7}, {"s", 5}}), "");
    EXPECT_EQ(find({{"q", 4}, {"r", 30}, {"s", 5}}), "");
    EXPECT_EQ(find({{"r", 7}}), message("r", "7"));
    EXPECT_EQ(find({{"r", 30}, {"s", 4}}), message("r", "30"));
    EXPECT_EQ(find({{"q", 2}, {"s", 5}}), message("q", "2"));
  }
  Program free = getOrdered("associative commutative");
  EXPECT_EQ(findProblem(free, {{"i", 4}}, {}, {{"q", 2}, {"r", 7}}), "");
}

TEST(ChosenScheduleTest, KeepsTermsInOrder) {
  for (const char *laws : {"", "associative", "associative commutative"}) {
    Program program = getOrdered(laws);
    FailureOr<StrideTable> access = getStrideTable(program.op);
    MachineAttr machine = getMachine(program.context, "sm_80");
    ScheduleAttr schedule = choose(program.op, machine);
    EXPECT_FALSE(findScheduleProblem(program.op, *access, schedule, machine));
    EXPECT_EQ(schedule.getStep("s"), 5);
  }
}

TEST(ScheduleProblemTest, IsNotFooledByOverflow) {
  int64_t huge = std::numeric_limits<int64_t>::max();
  for (int64_t factor : {huge, huge / 2 + 1, int64_t(1) << 32}) {
    Program program = getProduct();
    EXPECT_NE(findProblem(program, {{"a", factor}, {"b", factor}}, {}, {}), "");
    EXPECT_NE(findProblem(program, {}, {{"a", factor}, {"b", factor}}, {}), "");
    EXPECT_NE(findProblem(program, {}, {}, {{"c", factor}}), "");
    Program sum({"memref<8xf32>", "memref<f32>"},
                "tc.contract (c = 8) ins(%0[c] : memref<8xf32>) "
                "outs(%1[] : memref<f32>)");
    EXPECT_NE(findProblem(sum, {}, {}, {{"c", factor}}), "");
  }
}

TEST(SplitTest, PartsAreWholeStepsWhereTheyDoNotDivide) {
  auto lengths = [](int64_t extent, int64_t parts, int64_t step) {
    PartExtents extents = getPartExtents(extent, parts, step);
    return std::pair(extents.part, extents.rest);
  };
  // 100 = 4 * 25, whatever the step; 101 leaves 5 beside 4 * 3 steps of 8.
  EXPECT_EQ(lengths(100, 4, 8), std::pair(int64_t(25), int64_t(0)));
  EXPECT_EQ(lengths(101, 4, 8), std::pair(int64_t(24), int64_t(5)));
  EXPECT_EQ(lengths(31, 4, 8), std::pair(int64_t(0), int64_t(31)));
  int64_t dynamic = ShapedType::kDynamic;
  EXPECT_EQ(lengths(dynamic, 4, 8), std::pair(dynamic, dynamic));
  int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(lengths(101, huge, huge), std::pair(int64_t(0), int64_t(101)));
}

} // namespace
