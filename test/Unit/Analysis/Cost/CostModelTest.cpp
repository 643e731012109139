//===- CostModelTest.cpp - Predicted costs of kernels worked out by hand --===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "tc/Analysis/CostModel.h"

// Private to the analysis.
#include "Cost/DramTraffic.h"
#include "Cost/Traffic.h"
#include "tc/Analysis/Tiles.h"

#include "mlir/AsmParser/AsmParser.h"

#include <set>

using namespace mlir;
using namespace mlir::tc;

namespace {

/// `schedule` in the syntax of #tc.schedule.
ScheduleAttr parse(Program &program, const std::string &schedule) {
  return cast<ScheduleAttr>(parseAttribute(
      "#tc.schedule<" + schedule + ", kernel = fma>", &program.context));
}

KernelCost predict(Program &program, const std::string &schedule,
                   StringRef chip = "sm_90a") {
  auto machine = *MachineAttr::getKnown(&program.context, chip, [&] {
    return emitError(UnknownLoc::get(&program.context));
  });
  FailureOr<StrideTable> access = getStrideTable(program.op);
  auto cost =
      predictCost(program.op, *access, parse(program, schedule), machine);
  EXPECT_TRUE(cost);
  return *cost;
}

const CostTerm &getTerm(const KernelCost &cost, StringRef name) {
  for (const CostTerm &term : cost.terms)
    if (term.name == name)
      return term;
  ADD_FAILURE() << "no term " << name.str();
  static CostTerm none;
  return none;
}

/// c[a, b] += A[a, c] B[c, b], of 512 each.
Program getProduct(const std::string &element = "f32") {
  Sample sample;
  sample.extents = {512, 512, 512};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  return sample.build(element);
}

constexpr const char *kTiles =
    "thread = [a = 16, b = 16], register = [a = 4, b = 4], step = [c = 16]";

TEST(CostModelTest, CountsAProduct) {
  Program program = getProduct();
  KernelCost cost = predict(program, kTiles);
  // 8 x 8 blocks of 64 x 64 results.
  EXPECT_EQ(cost.blocks, 64);
  EXPECT_EQ(cost.threads, 256);
  EXPECT_EQ(cost.steps, 32);
  EXPECT_EQ(cost.usefulShare, 1);
  // Each input 8 times, 8 elements a sector; old results and new ones once.
  EXPECT_EQ(cost.loads.sectors, 2 * 8 * (512 * 512 / 8) + 512 * 512 / 8);
  EXPECT_EQ(cost.stores.sectors, 512 * 512 / 8);
  // Two tiles of 1024 elements, 32 a request, at each of 32 steps.
  EXPECT_EQ(cost.fillWavefronts, 64 * 32 * 2 * 32);
  // 8 warps read 4 + 4 values for each of 512 points; lanes of one row share.
  // Of A, LLVM makes one read of 4 points, which takes two wavefronts.
  EXPECT_EQ(cost.readWavefronts, 64 * 8 * 512 * (4 * 2 / 4 + 4));
  EXPECT_EQ(cost.slots.arithmetic, 512.0 * 512 * 512 / 32);
  EXPECT_EQ(cost.slots.reads, 64 * 8 * 512 * (4 / 4 + 4));
  // 2 x 64 x 16 elements.
  EXPECT_EQ(cost.sharedBytes, 8192);
  EXPECT_EQ(cost.l2Bytes, 32 * (cost.loads.sectors + cost.stores.sectors));
  // It all fits into L2: each array once, the results twice.
  EXPECT_EQ(cost.dramReadBytes + cost.dramWrittenBytes, 4 * 512 * 512 * 4);
}

TEST(CostModelTest, ComplexProductsAreFourOfTheirComponents) {
  Program program = getProduct("complex<f64>");
  KernelCost cost = predict(program, kTiles);
  EXPECT_EQ(getTerm(cost, "f64").amount, 4 * 512.0 * 512 * 512);
  EXPECT_EQ(cost.slots.arithmetic, 4 * 512.0 * 512 * 512 / 32);
}

TEST(CostModelTest, TimesAreAmountsOverRates) {
  Program program = getProduct();
  KernelCost cost = predict(program, kTiles);
  Machine machine = sm90a();
  // 64 blocks on 132 multiprocessors: each has the work of 132 / 64.
  double tail = 132.0 / 64;
  EXPECT_DOUBLE_EQ(cost.tail, tail);
  EXPECT_DOUBLE_EQ(getTerm(cost, "f32").seconds,
                   512.0 * 512 * 512 / (128 * 132 * machine.clockHz) * tail);
  EXPECT_DOUBLE_EQ(getTerm(cost, "l2").seconds,
                   cost.l2Bytes / machine.l2BytesPerSecond);
  double longest = 0;
  for (const CostTerm &term : cost.terms)
    longest = std::max(longest, term.seconds);
  EXPECT_DOUBLE_EQ(cost.boundSeconds, machine.launchSeconds + longest);
  EXPECT_GE(cost.seconds, cost.boundSeconds);
}

TEST(CostModelTest, OccupancyFollowsFromRegisters) {
  Program program = getProduct();
  // 16 accumulators, 4 times 4 values of A and 4 of B, 8 copies and 44 others;
  // 2 blocks of 8 warps.
  KernelCost few = predict(program, kTiles);
  EXPECT_EQ(few.registers, 88);
  EXPECT_EQ(few.occupancy.blocksPerSm, 2);
  EXPECT_DOUBLE_EQ(few.waves, 64.0 / (132 * 2));
  KernelCost many = predict(program, "thread = [a = 16, b = 16], register = "
                                     "[a = 8, b = 8], step = [c = 16]");
  EXPECT_EQ(many.registers, 164);
  EXPECT_EQ(many.occupancy.blocksPerSm, 1);
  EXPECT_EQ(many.occupancy.limiter, OccupancyLimiter::Registers);
}

TEST(CostModelTest, OneInputIsHeldOnlyAsFarAsAnAccessGoes) {
  const char *schedule = "thread = [a = 16, b = 16], register = [a = 8, b = 8],"
                         " step = [c = 16], vector = [c = 4]";
  // 64 accumulators, 8 vectors of 4 steps of one input, 8 elements of one step
  // of the other, 2 and 8 copies, and 44 others.
  Program program = getProduct();
  EXPECT_EQ(predict(program, schedule).registers, 64 + 32 + 8 + 10 + 44);
  // Doubles are two words each, and held for all steps; 4 and 8 copies.
  Program wide = getProduct("f64");
  schedule = "thread = [a = 16, b = 16], register = [a = 4, b = 4],"
             " step = [c = 16], vector = [c = 2]";
  EXPECT_EQ(predict(wide, schedule).registers, 32 + 16 + 16 + 6 + 44);
}

/// In a single step a thread has copied when it begins to multiply: it keeps no
/// places of copies. ptxas is given room for both all the same.
TEST(CostModelTest, OneStepHoldsNoCopies) {
  Sample sample;
  sample.extents = {512, 512, 16};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  KernelCost cost = predict(program, kTiles);
  EXPECT_EQ(cost.steps, 1);
  EXPECT_EQ(cost.registersAtOnce, 16 + 16 + 4 + 8 + 44);
  EXPECT_EQ(cost.registers, 16 + 16 + 4 + 44 - 12);
  EXPECT_EQ(cost.occupancy.blocksPerSm, 3);
  EXPECT_EQ(predict(program, std::string(kTiles) + ", resident = 4").registers,
            64);
}

/// Copies that are written out are waited for together, up to 16 of an input;
/// others by four. Once more for the results of before.
TEST(CostModelTest, CopiesThatAreWrittenOutAreOneWait) {
  Program program = getProduct();
  auto countRounds = [&](const std::string &schedule) {
    return predict(program, schedule).launch.demand.rounds;
  };
  // Four of each input, in 32 steps.
  EXPECT_EQ(countRounds(kTiles), 32 * 1 + 1);
  // 32 of each input, in 16 steps.
  EXPECT_EQ(countRounds("thread = [a = 4, b = 8], register = [a = 8, b = 4], "
                        "step = [c = 32]"),
            16 * (32 / 4 + 32 / 4) + 1);
  // 32 of the first input and 16 of the second, in 32 steps.
  EXPECT_EQ(countRounds("thread = [a = 4, b = 8], register = [a = 16, b = 4], "
                        "step = [c = 16]"),
            32 * (32 / 4 + 1) + 1);
}

/// What is divided by a number that is no power of two has no bits of the
/// number of a copy, nor have slower dimensions.
TEST(CostModelTest, IndicesOfCopiesAreBitsOrDivisions) {
  auto countSlots = [](int64_t terms, const std::string &tile) {
    Sample sample;
    sample.extents = {64, 64, 2 * terms};
    sample.operands = {{0, 1, 2}, {0, 1}};
    Program program = sample.build("f32");
    KernelCost cost = predict(program, "thread = [a = 8, b = 4], step = [c = " +
                                           std::to_string(terms) +
                                           "], stage = [[" + tile + "]]");
    double copies = 64 * 64 * 2 * double(terms) / 32;
    return cost.slots.copies / copies - 2; // less its load and its store
  };
  EXPECT_EQ(countSlots(32, "a = 128, b = 32, c = 1"), 5);
  EXPECT_EQ(countSlots(24, "a = 96, b = 24, c = 1"), 5 + 8 + 8);
}

/// As tc-split numbers blocks, wherever the parts are among the iterators.
TEST(CostModelTest, BlocksOfOnePartFollowEachOther) {
  auto countBytes = [](ArrayRef<unsigned> order) {
    const int64_t extents[] = {8192, 1024, 16};
    const int64_t strides[][3] = {
        {1, 0, 4096}, {0, 1, 4096}, {1, 4096, 1 << 24}};
    Workload work;
    work.inputs.resize(2);
    work.stored.resize(1);
    TilePlan plan(3);
    for (auto [place, i] : llvm::enumerate(order)) {
      work.extents.push_back(extents[i]);
      work.contracted.push_back(false);
      work.apart.push_back(i == 2);
      plan.thread[place] = i == 2 ? 1 : 64;
      work.inputs[0].strides.push_back(strides[0][i]);
      work.inputs[1].strides.push_back(strides[1][i]);
      work.stored[0].strides.push_back(strides[2][i]);
    }
    for (Access *array : {&work.inputs[0], &work.inputs[1], &work.stored[0]}) {
      array->nominal = array->strides;
      array->bytes = 4;
    }
    DramTraffic traffic =
        countDramTraffic(work, plan, /*running=*/132, /*l2Bytes=*/1 << 20);
    return traffic.readBytes + traffic.writtenBytes;
  };
  double bytes = countBytes({2, 0, 1});
  EXPECT_DOUBLE_EQ(bytes, countBytes({0, 1, 2}));
  EXPECT_DOUBLE_EQ(bytes, countBytes({0, 2, 1}));
  EXPECT_NE(bytes, countBytes({2, 1, 0}));
}

/// A scalar product of 2^24 elements: loads alone, no tiles and no barriers in
/// a step.
TEST(CostModelTest, ReadsInPlace) {
  Sample sample;
  sample.extents = {1 << 24};
  sample.operands = {{0}, {0}, {}};
  Program program = sample.build("f32");
  KernelCost cost = predict(
      program, "thread = [a = 256], step = [a = 4096], vector = [a = 4]");
  EXPECT_EQ(cost.fillWavefronts, 0);
  EXPECT_EQ(cost.readWavefronts, 0);
  // And the old result.
  EXPECT_EQ(cost.loads.sectors, 2 * (1 << 24) * 4 / 32 + 1);
  EXPECT_EQ(cost.slots.reads, 2 * (1 << 24) / 4 / 32);
  // The emulator counts 950460 instructions.
  EXPECT_NEAR(cost.slots.sum(), 950460, 0.01 * 950460);
}

TEST(CostModelTest, SaysWhenNoBlockFits) {
  Program program = getProduct();
  KernelCost cost = predict(program, "thread = [a = 32, b = 32], register = "
                                     "[a = 16, b = 16], step = [c = 16]");
  EXPECT_EQ(cost.occupancy.blocksPerSm, 0);
  EXPECT_TRUE(std::isinf(cost.seconds));
}

/// The second operand is the transpose of the first.
Program getTranspose() {
  return Program({"memref<64x64xf32>", "memref<64x64xf32>"},
                 "tc.contract (a = 64, b = 64) ins(%0[b, a] : "
                 "memref<64x64xf32>) outs(%1[a, b] : memref<64x64xf32>) "
                 "overwrite");
}

TEST(CostModelTest, CountsSectorsOfATransposedAccess) {
  Program program = getTranspose();
  // Lanes along b, which is the input's slow dimension: a sector an element.
  KernelCost rows = predict(program, "thread = [b = 32]");
  EXPECT_EQ(rows.loads.sectors, 64 * 64);
  EXPECT_EQ(rows.stores.sectors, 64 * 64 / 8);
  // Eight elements along a make up a sector.
  KernelCost square = predict(program, "thread = [a = 8, b = 32]");
  EXPECT_EQ(square.loads.sectors, 64 * 64 / 8);
  EXPECT_EQ(square.stores.sectors, 64 * 64 / 8);
  // Lanes along a: now results are stored one sector each.
  KernelCost columns = predict(program, "thread = [a = 32]");
  EXPECT_EQ(columns.loads.sectors, 64 * 64 / 8);
  EXPECT_EQ(columns.stores.sectors, 64 * 64);
}

TEST(CostModelTest, TilesBeginAtAllPlacesOfALine) {
  // Runs of 24 bytes begin at 0, 24, 16 and 8 of a sector in turn, and lie in
  // one, two, two and one. Of 16 places in a line two reach into the next.
  Program program(
      {"memref<64x312xf32>", "memref<64x312xf32>"},
      "tc.contract (a = 64, b = 312) ins(%0[a, b] : memref<64x312xf32>) "
      "outs(%1[a, b] : memref<64x312xf32>) overwrite");
  KernelCost cost = predict(program, "thread = [b = 6]");
  EXPECT_EQ(cost.loads.sectors, 64 * 52 * 1.5);
  EXPECT_EQ(cost.stores.sectors, 64 * 52 * 1.5);
  EXPECT_EQ(cost.stores.lines, 64 * 52 * 1.125);
  // Two tiles in a row of a line do not come round.
  Program few({"memref<64x32xf32>", "memref<64x32xf32>"},
              "tc.contract (a = 64, b = 32) ins(%0[a, b] : memref<64x32xf32>) "
              "outs(%1[a, b] : memref<64x32xf32>) overwrite");
  EXPECT_EQ(predict(few, "thread = [b = 30]").stores.lines, 64 * 2);
}

TEST(CostModelTest, CountsWavefrontsOfAStride) {
  // c[a, b] = A[a, c] B[b, c]: lanes along b step over rows of B's tile.
  Sample sample;
  sample.extents = {64, 64, 64};
  sample.operands = {{0, 2}, {1, 2}, {0, 1}};
  Program single = sample.build("f32"), wide = sample.build("f64");
  constexpr const char *tiles =
      "thread = [a = 8, b = 32], register = [a = 2], step = [c = 16]";
  // Rows of 16 are padded to 17, so that the lanes meet 32 banks. A's values
  // are the same for all lanes, which read 4 of a row at a time: two
  // wavefronts. 4 x 2 blocks of 8 warps.
  KernelCost cost = predict(single, tiles);
  EXPECT_EQ(cost.readWavefronts, 8 * 8 * 64 * (2 * 2 / 4 + 1));
  // Two turns for 32 numbers of 8 bytes; A's are read 2 at a time.
  EXPECT_EQ(predict(wide, tiles).readWavefronts, 8 * 8 * 64 * (2 * 2 / 2 + 2));
  // Two rows of 16 are filled at a time: 17 words on, one bank is met twice.
  EXPECT_EQ(cost.fillWavefronts, 8 * 4 * (8 * 1 + 16 * 2));
}

/// A half takes an instruction to become a number of f32, and none for sums of
/// halves.
TEST(CostModelTest, HalvesAreConverted) {
  MLIRContext context;
  Machine machine = *findMachine("sm_90a");
  for (Type type :
       {Type(Float16Type::get(&context)), Type(BFloat16Type::get(&context))}) {
    EXPECT_EQ(countConversionSlots(type, Arithmetic::F32, machine), 1);
    EXPECT_EQ(countConversionSlots(type, Arithmetic::F16, machine), 0);
  }
  EXPECT_EQ(countConversionSlots(Float32Type::get(&context), Arithmetic::F32,
                                 machine),
            0);
}

/// Copies that run ahead load a line and store it at once; those that are
/// waited for do one after the other.
TEST(CostModelTest, CopiesAheadLoadAndStoreAtOnce) {
  Program program = getProduct();
  auto getCycles = [&](const std::string &stages) {
    KernelCost cost = predict(program, std::string(kTiles) + stages);
    return cost.launch.demand.loadStoreCycles;
  };
  EXPECT_LT(getCycles(", stages = 2"), getCycles(""));
}

/// Threads that share a result each show what they have of it, and some gather
/// that: every warp does, whose lanes have parts of few results.
TEST(CostModelTest, WarpsOfAnyLaneThatGathersGather) {
  Program program = getProduct();
  auto countGathering = [&](const std::string &thread, const std::string &reg) {
    KernelCost cost =
        predict(program, "thread = [" + thread + "], register = [" + reg +
                             "], step = [c = 64]");
    double blocks = 512.0 * 512 / (16 * 32), warps = 2, values = 64;
    double combining = getTerm(cost, "shared").amount - cost.fillWavefronts -
                       cost.readWavefronts;
    return combining / (blocks * warps * values);
  };
  // 2 lanes that gather beside 14 that do not, twice in a warp.
  EXPECT_EQ(countGathering("b = 4, c = 8, a = 2", "a = 8, b = 8"), 1 + 8);
  EXPECT_EQ(countGathering("a = 2, b = 4, c = 8", "a = 8, b = 8"), 1 + 8);
  // The lanes that gather are one warp of two.
  EXPECT_EQ(countGathering("c = 2, a = 4, b = 8", "a = 4, b = 4") * 4,
            1 + 2 * 0.5);
}

TEST(CostModelTest, PartialTilesAreWaste) {
  Sample sample;
  sample.extents = {100, 64, 30};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f32");
  KernelCost cost = predict(program, kTiles);
  EXPECT_DOUBLE_EQ(cost.usefulShare, 100.0 / 128 * 30 / 32);
  EXPECT_EQ(cost.blocks, 2);
  // Places that stick out are computed.
  EXPECT_EQ(cost.slots.arithmetic, 128 * 64 * 32 / 32);
  // They are neither loaded nor stored.
  EXPECT_NEAR(cost.stores.sectors, 100 * 64 / 8, 1e-6);
}

TEST(CostModelTest, NothingIsPredictedForUnknownExtents) {
  Program empty({"memref<0xf32>", "memref<f32>"},
                "tc.contract (c = 0) ins(%0[c] : memref<0xf32>) "
                "outs(%1[] : memref<f32>)");
  FailureOr<StrideTable> access = getStrideTable(empty.op);
  auto machine = *MachineAttr::getKnown(&empty.context, "sm_80", [&] {
    return emitError(UnknownLoc::get(&empty.context));
  });
  EXPECT_FALSE(predictCost(empty.op, *access, parse(empty, "thread = [c = 1]"),
                           machine));
}

//===----------------------------------------------------------------------===//
// Traffic
//===----------------------------------------------------------------------===//

/// Factors at random, small ones, and vectors where extents allow.
TilePlan getRandomPlan(std::mt19937_64 &random, const Workload &work) {
  TilePlan plan(work.getNumIterators());
  for (unsigned i = 0; i < work.getNumIterators(); ++i) {
    int64_t vector = int64_t(1) << random() % 3;
    plan.vector[i] = work.extents[i] % vector == 0 ? vector : 1;
    auto draw = [&](int64_t most) {
      return std::min<int64_t>(1 + random() % most,
                               work.extents[i] / plan.vector[i]);
    };
    if (work.contracted[i]) {
      plan.step[i] = draw(9) * plan.vector[i];
      continue;
    }
    plan.thread[i] = draw(8);
    plan.reg[i] = draw(3);
    if (plan.thread[i] > 1)
      plan.lanes.push_back({i, plan.thread[i]});
  }
  std::shuffle(plan.lanes.begin(), plan.lanes.end(), random);
  plan.stages = 1 + random() % 3;
  return plan;
}

TEST(TilePlanTest, LanesOfFragmentsAreTheFastest) {
  Sample sample;
  sample.extents = {64, 64, 64};
  sample.operands = {{0, 2}, {2, 1}, {0, 1}};
  Program program = sample.build("f64");
  auto schedule = cast<ScheduleAttr>(parseAttribute(
      "#tc.schedule<thread = [b = 8, a = 32], register = [a = 2, b = 2], "
      "step = [c = 16], kernel = mma, unit = <\"m16n8k8.f64\", m = [a = 8], "
      "n = [b = 4], k = [c = 4]>>",
      &program.context));
  TilePlan plan = getPlan(program.op, schedule);
  SmallVector<LaneFactor, 8> lanes = {{1, 2}, {0, 4}, {0, 8}, {1, 4}};
  EXPECT_EQ(plan.lanes, lanes);
  ASSERT_TRUE(plan.mma);
  EXPECT_EQ(plan.mma->pair, 1u);
  EXPECT_EQ(getSchedule(program.op, plan), schedule);
}

TEST(TrafficTest, TilesAreThoseOfTheKernel) {
  std::mt19937_64 random(11);
  int vectors = 0;
  for (int run = 0; run < 300; ++run) {
    Program program = getSample(random, 1 + random() % 6).build("f32");
    FailureOr<StrideTable> access = getStrideTable(program.op);
    Workload work = getWorkload(program.op, *access);
    TilePlan plan = getRandomPlan(random, work);
    ScheduleAttr schedule = getSchedule(program.op, plan);
    EXPECT_EQ(getPlan(program.op, schedule), plan);
    TileCache tiles;
    TrafficCache cache(tiles);
    Traffic traffic(work, plan, cache);
    for (size_t k = 0; k < work.inputs.size(); ++k) {
      if (traffic.getInput(k).isInPlace)
        continue;
      StageTile tile = traffic.getInput(k).tile;
      StageTile staged =
          getStageTile(getTileDims(program.op, schedule, access->inputs[k]),
                       work.inputs[k].bytes, schedule.getNumThreads());
      EXPECT_EQ(tile.sizes, staged.sizes);
      EXPECT_EQ(tile.strides, staged.strides);
      EXPECT_EQ(tile.elements, staged.elements);
      EXPECT_EQ(tile.chunk, staged.chunk);
      vectors += tile.chunk > 1;
    }
  }
  EXPECT_GT(vectors, 50);
}

} // namespace
