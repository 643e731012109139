//===- CountTimeTest.cpp - Counted time -----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each term of the counted time on a machine with round numbers.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Counts.h"
#include "tc/Schema/Document.h"

#include "gtest/gtest.h"

using namespace tc::emulator;
using mlir::tc::Machine;

namespace {

/// 10 multiprocessors at 1 GHz: 1e10 cycles a second in all.
Machine getMachine() {
  Machine machine;
  machine.name = "round";
  machine.clockHz = 1e9;
  machine.smCount = 10;
  machine.f32FmaPerCycle = 128;
  machine.f64FmaPerCycle = 64;
  machine.f16TensorFmaPerCycle = 1024;
  machine.l2Bytes = 1 << 20;
  machine.l2BytesPerSecond = 4e12;
  machine.dramBytesPerSecond = 1e12;
  machine.launchSeconds = 2e-6;
  return machine;
}

LaunchCounts getLaunch(uint32_t blocks = 10) {
  LaunchCounts counts;
  counts.grid = {blocks, 1, 1};
  counts.blocksRun = blocks;
  return counts;
}

const CountedTime::Term *find(const CountedTime &time, llvm::StringRef name) {
  for (const CountedTime::Term &term : time.terms)
    if (term.name == name)
      return &term;
  ADD_FAILURE() << "no term " << name.str();
  return nullptr;
}

double secondsOf(const CountedTime &time, llvm::StringRef name) {
  const CountedTime::Term *term = find(time, name);
  return term ? term->seconds : -1;
}

// A million warp instructions of fma.f32 with all lanes: 4 issue slots a cycle
// take 1e6 / 4 / 1e10 s = 25 us; 32e6 lanes over 128 a cycle the same.
TEST(CountTime, IssueAndUnits) {
  LaunchCounts counts = getLaunch();
  counts.instructions = {{"fma.f32", "f32", 1000000, 32000000, 32000000}};
  CountedTime time = countTime(counts, getMachine());
  EXPECT_DOUBLE_EQ(secondsOf(time, "issue"), 25e-6);
  EXPECT_DOUBLE_EQ(secondsOf(time, "f32"), 25e-6);
  EXPECT_DOUBLE_EQ(time.seconds, 27e-6);
  // Half the lanes take as long.
  counts.instructions[0].lanes = counts.instructions[0].operations = 16000000;
  EXPECT_DOUBLE_EQ(secondsOf(countTime(counts, getMachine()), "f32"), 25e-6);
  // f64: 64 lanes a cycle.
  counts.instructions = {{"fma.f64", "f64", 1000000, 32000000, 32000000}};
  time = countTime(counts, getMachine());
  EXPECT_DOUBLE_EQ(secondsOf(time, "f64"), 50e-6);
  EXPECT_EQ(time.limiter, "f64");
  EXPECT_DOUBLE_EQ(time.seconds, 52e-6);
}

// Pairs in one register count two; the unit does 64e6 operations.
TEST(CountTime, PackedPairs) {
  LaunchCounts counts = getLaunch();
  counts.instructions = {{"fma.f32x2", "f32", 1000000, 32000000, 64000000}};
  EXPECT_DOUBLE_EQ(secondsOf(countTime(counts, getMachine()), "f32"), 50e-6);
}

// 1000 mma of 16*8*16 = 2048 multiply-adds over 1024 a cycle: 2000 cycles.
TEST(CountTime, TensorUnits) {
  LaunchCounts counts = getLaunch();
  counts.instructions = {{"mma.m16n8k16.f16", "mma.f16", 1000, 32000, 2048000}};
  EXPECT_DOUBLE_EQ(secondsOf(countTime(counts, getMachine()), "mma.f16"),
                   0.2e-6);
}

// Moves take no slot; a unit of unknown rate is printed and does not count.
TEST(CountTime, WhatIsLeftOut) {
  LaunchCounts counts = getLaunch();
  counts.instructions = {{"mma.m16n8k8.tf32", "mma.tf32", 4, 128, 4096},
                         {"move", "none", 1000000, 32000000, 32000000}};
  CountedTime time = countTime(counts, getMachine());
  EXPECT_DOUBLE_EQ(secondsOf(time, "issue"), 1e-10);
  EXPECT_EQ(find(time, "mma.tf32")->perSecond, 0);
  EXPECT_EQ(secondsOf(time, "mma.tf32"), 0);
  EXPECT_EQ(time.limiter, "issue");
  std::string text;
  llvm::raw_string_ostream os(text);
  time.print(os);
  EXPECT_NE(text.find("mma.tf32 ?"), std::string::npos) << text;
  time.printTerms(os);
  EXPECT_NE(text.find("an unknown rate"), std::string::npos) << text;
}

// 50000 wavefronts, one a cycle and multiprocessor.
TEST(CountTime, SharedMemory) {
  LaunchCounts counts = getLaunch();
  counts.memory = {{"shared", "read", {}}, {"shared", "write", {}}};
  counts.memory[0].counts.machineWavefronts = 30000;
  counts.memory[1].counts.machineWavefronts = 20000;
  EXPECT_DOUBLE_EQ(secondsOf(countTime(counts, getMachine()), "shared"), 5e-6);
}

// 4 MB of sectors that L1 has not over 4 TB/s: 1 us. Distinct are 1 MB read and
// half a MB written: 1.5 MB over 1 TB/s.
TEST(CountTime, Memory) {
  LaunchCounts counts = getLaunch();
  counts.memory = {{"global", "read", {}}};
  counts.memory[0].counts.sectors = 200000;
  counts.memory[0].counts.l2Sectors = 125000;
  AllocationCounts part;
  part.allRead = part.allTouched = {1000000, 31250};
  part.allWritten = {500000, 15625};
  counts.add(part);
  CountedTime time = countTime(counts, getMachine());
  EXPECT_DOUBLE_EQ(secondsOf(time, "l2"), 1e-6);
  EXPECT_DOUBLE_EQ(secondsOf(time, "dram"), 1.5e-6);
  EXPECT_EQ(time.limiter, "dram");
}

// 25 blocks on 10 multiprocessors: some run 3, on average 2.5. Memory is one
// for all, so its terms have no tail.
TEST(CountTime, Tail) {
  LaunchCounts counts = getLaunch(25);
  counts.instructions = {{"fma.f32", "f32", 1000000, 32000000, 32000000}};
  counts.memory = {{"global", "read", {}}};
  counts.memory[0].counts.l2Sectors = 125000;
  CountedTime time = countTime(counts, getMachine(), 2);
  EXPECT_DOUBLE_EQ(time.tail, 1.2);
  EXPECT_DOUBLE_EQ(time.waves, 1.25);
  EXPECT_DOUBLE_EQ(secondsOf(time, "f32"), 30e-6);
  EXPECT_DOUBLE_EQ(secondsOf(time, "l2"), 1e-6);
  // A single block has one of ten multiprocessors.
  counts.grid = {1, 1, 1};
  EXPECT_DOUBLE_EQ(countTime(counts, getMachine()).tail, 10);
  EXPECT_EQ(countTime(counts, getMachine()).waves, 0);
}

TEST(CountTime, NothingCounted) {
  CountedTime time = countTime(getLaunch(), getMachine());
  EXPECT_TRUE(time.terms.empty());
  EXPECT_EQ(time.limiter, "");
  EXPECT_DOUBLE_EQ(time.seconds, 2e-6);
}

TEST(CountTime, EveryTermIsReported) {
  LaunchCounts counts = getLaunch(25);
  counts.instructions = {{"fma.f32", "f32", 1000000, 32000000, 32000000}};
  CountedTime time = countTime(counts, getMachine(), 2);
  std::string json = mlir::tc::schema::format(time);
  llvm::json::Object object =
      *llvm::cantFail(llvm::json::parse(json)).getAsObject();
  EXPECT_EQ(object.getString("machine"), llvm::StringRef("round"));
  EXPECT_EQ(object.getNumber("tail"), 1.2);
  llvm::json::Array *terms = object.getArray("terms");
  ASSERT_NE(terms, nullptr);
  ASSERT_EQ(terms->size(), time.terms.size());
  std::string text;
  llvm::raw_string_ostream os(text);
  time.print(os);
  time.printTerms(os);
  for (size_t at = 0; at < terms->size(); ++at) {
    llvm::json::Object *term = (*terms)[at].getAsObject();
    EXPECT_EQ(term->getNumber("seconds"), time.terms[at].seconds);
    EXPECT_NE(text.find("  " + time.terms[at].name), std::string::npos) << text;
  }
  EXPECT_NE(text.find("32.00 us, limited by issue"), std::string::npos) << text;
  EXPECT_NE(text.find("1.25 waves"), std::string::npos) << text;
}

} // namespace
