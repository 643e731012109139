//===- MachineTest.cpp - Limits and rates of chips ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The data against the figures that NVIDIA publishes for each product, and
// against itself.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Machine.h"
#include "tc/Target/Mma.h"

#include <gtest/gtest.h>

#include <string>

using namespace mlir::tc;

TEST(Machine, FindsEveryKnownMachineByItsName) {
  for (const char *name : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90",
                           "sm_90a", "sm_100a", "sm_120"}) {
    llvm::Expected<Machine> machine = findMachine(name);
    ASSERT_TRUE(bool(machine)) << name;
    EXPECT_EQ(machine->name, name);
  }
  EXPECT_EQ(knownMachines().size(), 8u);
}

TEST(Machine, RefusesAnUnknownNameAndListsTheKnownOnes) {
  llvm::Expected<Machine> machine = findMachine("sm_42");
  ASSERT_FALSE(bool(machine));
  EXPECT_EQ(llvm::toString(machine.takeError()),
            "expected one of sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, "
            "sm_100a, sm_120, got 'sm_42'");
}

/// TFLOPS as published: f32, f64, f64 on tensor units (0 where none).
struct Published {
  const char *name;
  double f32, f64, f64Tensor;
};

class MachineRates : public testing::TestWithParam<Published> {};

TEST_P(MachineRates, AgreeWithThePublishedOnes) {
  llvm::Expected<Machine> m = findMachine(GetParam().name);
  ASSERT_TRUE(bool(m));
  EXPECT_NEAR(m->f32Flops() / 1e12, GetParam().f32, 0.02 * GetParam().f32);
  EXPECT_NEAR(m->f64Flops() / 1e12, GetParam().f64, 0.03 * GetParam().f64);
  EXPECT_NEAR(m->f64TensorFlops() / 1e12, GetParam().f64Tensor,
              0.03 * GetParam().f64Tensor);
}

INSTANTIATE_TEST_SUITE_P(Products, MachineRates,
                         testing::Values(Published{"sm_75", 8.1, 0.254, 0},
                                         Published{"sm_80", 19.5, 9.7, 19.5},
                                         Published{"sm_86", 35.6, 0.556, 0},
                                         Published{"sm_89", 82.6, 1.29, 0},
                                         Published{"sm_90", 67, 33.5, 67},
                                         Published{"sm_90a", 67, 33.5, 67},
                                         Published{"sm_100a", 75, 37.5, 37},
                                         Published{"sm_120", 104.8, 1.64, 0}),
                         [](const auto &info) {
                           return std::string(info.param.name);
                         });

/// Dense TFLOPS in f16 with sums in f32, in tf32, TOPS in s8, and TFLOPS in f8
/// with sums in f32, as published; where `mma` multiplies halves those of f16.
TEST(Machine, TensorRatesAgreeWithThePublishedOnes) {
  const struct {
    const char *name;
    double f16, tf32, s8, f8;
  } published[] = {
      {"sm_75", 65, 0, 130, 0},          {"sm_80", 312, 156, 624, 0},
      {"sm_86", 71, 35.6, 284, 0},       {"sm_89", 165, 82.6, 661, 330.3},
      {"sm_90a", 989, 495, 1979, 989},   {"sm_100a", 2250, 1125, 4500, 2250},
      {"sm_120", 209.5, 104.8, 838, 419}};
  for (const auto &want : published) {
    SCOPED_TRACE(want.name);
    llvm::Expected<Machine> m = findMachine(want.name);
    ASSERT_TRUE(bool(m));
    // The clock of the tensor units is up to a tenth lower.
    double operations = 2 * double(m->smCount) * m->clockHz / 1e12;
    EXPECT_NEAR(operations * m->f16TensorFmaPerCycle, want.f16, 0.1 * want.f16);
    EXPECT_NEAR(operations * m->tf32TensorFmaPerCycle, want.tf32,
                0.1 * want.tf32);
    EXPECT_NEAR(operations * m->s8TensorFmaPerCycle, want.s8, 0.1 * want.s8);
    EXPECT_NEAR(operations * m->f8TensorFmaPerCycle, want.f8, 0.1 * want.f8);
  }
}

TEST(Machine, ShortFormsAreSlowerWhereThatWasMeasured) {
  const MmaShape &shorter = *findMmaShape("m16n8k8.bf16");
  const MmaShape &longer = *findMmaShape("m16n8k16.bf16");
  EXPECT_NEAR(sm90a().getMmaPerCycle(longer), 1244, 10);
  EXPECT_NEAR(sm90a().getMmaPerCycle(shorter), 938, 10);
  EXPECT_EQ(sm80().getMmaPerCycle(longer), sm80().getMmaPerCycle(shorter));
}

TEST(Machine, StoresInPiecesMoveMore) {
  Machine machine = sm90a();
  // Whole lines, and pairs of sectors, are what they are.
  EXPECT_EQ(machine.getScatteredStoreBytes(1024, 32, 8), 0);
  EXPECT_EQ(machine.getScatteredStoreBytes(1024, 32, 16), 0);
  // Single sectors of a line are written as two.
  EXPECT_EQ(machine.getScatteredStoreBytes(1024, 32, 32), 1024);
  // Half a sector is read back.
  EXPECT_EQ(machine.getScatteredStoreBytes(512, 32, 16), 1024);
  EXPECT_EQ(machine.getScatteredStoreBytes(512, 32, 32), 2048);
  // Two of five are filled in part.
  EXPECT_EQ(machine.getScatteredStoreBytes(128, 5, 2), 64);
  // What is stored four times is in L2 for half of that.
  EXPECT_EQ(Machine::getStoredDramBytes(256, 1024, 2048), 256 + 1024);
  EXPECT_EQ(Machine::getStoredDramBytes(512, 1024, 2048), 512 + 2048);
  EXPECT_EQ(Machine::getStoredDramBytes(0, 0, 0), 0);
  // Nobody has measured it on others.
  EXPECT_EQ(sm80().getScatteredStoreBytes(512, 32, 32), 0);
}

TEST(Machine, LimitsFitTogether) {
  for (const Machine &m : knownMachines()) {
    SCOPED_TRACE(m.name.str());
    EXPECT_FALSE(m.product.empty());
    EXPECT_EQ(m.maxThreadsPerSm % m.warpSize, 0);
    EXPECT_LE(m.maxThreadsPerBlock, m.maxThreadsPerSm);
    EXPECT_LE(m.sharedBytesPerBlock, m.sharedBytesPerBlockOptIn);
    EXPECT_EQ(m.sharedBytesPerBlockOptIn + m.sharedBytesReserved,
              m.sharedBytesPerSm);
    EXPECT_EQ(m.ptxFeature, "+ptx" + std::to_string(m.ptxVersion));
    EXPECT_GT(m.dramBytesPerSecond, 1e11);
    EXPECT_GT(m.l2BytesPerSecond, m.dramBytesPerSecond);
    // A multiprocessor reads at most 64 bytes a cycle from L2.
    EXPECT_LE(m.l2BytesPerSecond, 64 * m.smCount * m.clockHz);
    EXPECT_GT(m.launchSeconds, 0);
    EXPECT_GT(m.sharedBytesPerSecond(), m.dramBytesPerSecond);
    EXPECT_GT(m.l2Bytes, m.sharedBytesPerSm);
  }
}

TEST(Machine, RooflineBalanceOfAnH200) {
  // 13.9 operations a byte, in f32 and in f64 on tensor units.
  Machine m = sm90a();
  EXPECT_NEAR(m.f32Flops() / m.dramBytesPerSecond, 13.9, 0.1);
  EXPECT_NEAR(m.f64TensorFlops() / m.dramBytesPerSecond, 13.9, 0.1);
}

TEST(Machine, ProductsForValidationHaveWhatSimulationTakes) {
  EXPECT_EQ(validationMachines().size(), 4u);
  for (llvm::ArrayRef<Machine> list : {knownMachines(), validationMachines()})
    for (const Machine &m : list) {
      SCOPED_TRACE(m.name.str());
      const Machine::Latencies &cycles = m.latencies;
      EXPECT_GT(cycles.shared, 0);
      EXPECT_GT(cycles.l1, cycles.shared);
      EXPECT_GT(cycles.l2, cycles.l1);
      EXPECT_GT(cycles.dram, cycles.l2);
      EXPECT_GT(m.dramEfficiency, 0.5);
      EXPECT_LE(m.dramEfficiency, 1);
      llvm::Expected<Machine> found = findSimulatedMachine(m.name);
      ASSERT_TRUE(bool(found));
      EXPECT_EQ(found->product, m.product);
    }
  // No kernel is made for them.
  llvm::Expected<Machine> v100 = findMachine("V100");
  EXPECT_FALSE(bool(v100));
  llvm::consumeError(v100.takeError());
  llvm::Expected<Machine> none = findSimulatedMachine("V99");
  ASSERT_FALSE(bool(none));
  EXPECT_EQ(llvm::toString(none.takeError()),
            "expected one of sm_75, sm_80, sm_86, sm_89, sm_90, sm_90a, "
            "sm_100a, sm_120, P100, V100, RTX 2080 Super, A6000, got 'V99'");
}
