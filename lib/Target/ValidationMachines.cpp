//===- ValidationMachines.cpp - Products with published times -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No kernel is made for these. What stands without a source is from the sources
// of Machine.h. Nobody published the clocks at which times were measured: those
// of Tesla cards are what runs where nobody sets them, others the boost clocks
// of the data sheets.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Machine.h"

namespace mlir::tc {

static constexpr int64_t KiB = 1024;
static constexpr int64_t MiB = 1024 * KiB;

/// Tesla V100 SXM2 with 16 GB: NVIDIA Volta architecture whitepaper. Its
/// default application clock: what nvidia-smi -q says of one (a log in
/// github.com/NVIDIA/nvidia-docker/issues/914); it may boost to 1530 MHz.
/// Latencies and L2: Jia et al., arXiv:1804.06826, chapter 3.
static Machine v100() {
  Machine m;
  m.name = "V100";
  m.product = "Tesla V100 SXM2 16GB";
  m.computeCapability = 70;
  m.maxThreadsPerSm = 2048;
  m.maxBlocksPerSm = 32;
  m.sharedBytesPerSm = 96 * KiB;
  m.sharedBytesPerBlockOptIn = 96 * KiB;
  m.sharedBytesReserved = 0;
  m.sharedAllocationUnit = 256;
  m.f32FmaPerCycle = 64;
  m.f64FmaPerCycle = 32;
  m.f16FmaPerCycle = 64;
  m.f16TensorFmaPerCycle = 512;
  m.smCount = 80;
  m.clockHz = 1312e6;
  m.l2Bytes = 6 * MiB;
  m.dramBytesPerSecond = 900e9;
  m.l2BytesPerSecond = 2155e9;
  m.latencies = {/*shared=*/19, /*l1=*/28, /*l2=*/193, /*dram=*/375};
  m.levelAError = 0.158;
  m.levelBError = 0.108;
  return m;
}

/// Tesla P100 SXM2 with 16 GB: NVIDIA Pascal architecture whitepaper, the base
/// clock; it may boost to 1480 MHz. Latencies, L2 and what memory reaches: Jia
/// et al., arXiv:1804.06826, chapter 3.
static Machine p100() {
  Machine m;
  m.name = "P100";
  m.product = "Tesla P100 SXM2 16GB";
  m.computeCapability = 60;
  m.maxThreadsPerSm = 2048;
  m.maxBlocksPerSm = 32;
  m.partitionsPerSm = 2;
  m.sharedBytesPerSm = 64 * KiB;
  m.sharedBytesPerBlockOptIn = 48 * KiB;
  m.sharedBytesReserved = 0;
  m.sharedAllocationUnit = 256;
  m.f32FmaPerCycle = 64;
  m.f64FmaPerCycle = 32;
  m.f16FmaPerCycle = 64;
  m.memoryPerCycle = 16;
  m.smCount = 56;
  m.clockHz = 1328e6;
  m.l2Bytes = 4 * MiB;
  m.dramBytesPerSecond = 732e9;
  m.dramEfficiency = 0.75;
  m.l2BytesPerSecond = 1624e9;
  m.latencies = {/*shared=*/24, /*l1=*/82, /*l2=*/234, /*dram=*/474};
  m.levelAError = 0.140;
  m.levelBError = 0.115;
  return m;
}

/// RTX A6000: NVIDIA's data sheet; a whole GA102.
static Machine a6000() {
  Machine m = sm86();
  m.name = "A6000";
  m.product = "RTX A6000";
  m.smCount = 84;
  m.clockHz = 1800e6;
  m.dramBytesPerSecond = 768e9;
  m.l2BytesPerSecond = 1536 * m.clockHz; // as sm86()
  m.levelAError = 0.156;
  m.levelBError = 0.111;
  return m;
}

/// GeForce RTX 2080 Super: NVIDIA's data sheet; a whole TU104.
static Machine rtx2080Super() {
  Machine m = sm75();
  m.name = "RTX 2080 Super";
  m.product = "GeForce RTX 2080 Super";
  m.smCount = 48;
  m.clockHz = 1815e6;
  m.dramBytesPerSecond = 496e9;
  m.l2BytesPerSecond = 800 * m.clockHz; // a cycle as sm75()
  m.levelAError = 0.111;
  m.levelBError = 0.093;
  return m;
}

llvm::ArrayRef<Machine> validationMachines() {
  static const Machine machines[] = {p100(), v100(), rtx2080Super(), a6000()};
  return machines;
}

} // namespace mlir::tc
