//===- Chips.cpp - The known chips ----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per chip. Numbers without a source in place are from the guide
// and the calculator that Machine.h names; the product is the source of its
// own.
//
// Latencies are from microbenchmarks: Jia et al., arXiv:1903.07486 (Turing);
// Luo et al., arXiv:2402.13499 (A100, RTX 4090, H100), tables of latencies. Of
// other chips they are estimates, those of the next of kin. Load/store units:
// the whitepapers' pictures of a multiprocessor, 32 of GV100, GA100 and GH100,
// 16 of the others.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Machine.h"

namespace mlir::tc {

static constexpr int64_t KiB = 1024;
static constexpr int64_t MiB = 1024 * KiB;

/// What the chips of data centres have in common.
static Machine dataCenterChip(llvm::StringRef name, int64_t computeCapability) {
  Machine m;
  m.name = name;
  m.computeCapability = computeCapability;
  m.maxThreadsPerSm = 2048;
  m.maxBlocksPerSm = 32;
  return m;
}

Machine sm75() {
  Machine m;
  m.name = "sm_75";
  m.computeCapability = 75;
  m.maxThreadsPerSm = 1024;
  m.maxBlocksPerSm = 16;
  m.sharedBytesPerSm = 64 * KiB;
  m.sharedBytesPerBlockOptIn = 64 * KiB;
  m.sharedBytesReserved = 0; // reserved from compute capability 8.0 on
  m.sharedAllocationUnit = 256;
  m.f32FmaPerCycle = 64;
  m.f64FmaPerCycle = 2;
  m.f16FmaPerCycle = 64;
  m.memoryPerCycle = 16;
  // Jia et al.: 59 bytes a cycle are reached.
  m.wavefrontsPerCycle = 0.5;
  // T4: 65 TFLOPS, 130 TOPS.
  m.f16TensorFmaPerCycle = 512;
  m.s8TensorFmaPerCycle = 1024;
  // NVIDIA Turing architecture whitepaper, Tesla T4: 40 SMs, 1590 MHz, 8.1
  // TFLOPS in f32, 4096 KB L2, 320 GB/s.
  m.product = "Tesla T4";
  m.smCount = 40;
  m.clockHz = 1590e6;
  m.l2Bytes = 4 * MiB;
  m.dramBytesPerSecond = 320e9;
  // L2, estimate: near what Jia et al. measure (arXiv:1903.07486), not checked.
  m.l2BytesPerSecond = 1270e9;
  // To memory: an estimate.
  m.latencies = {/*shared=*/19, /*l1=*/32, /*l2=*/188, /*dram=*/410};
  return m;
}

Machine sm80() {
  Machine m = dataCenterChip("sm_80", 80);
  m.sharedBytesPerSm = 164 * KiB;
  m.sharedBytesPerBlockOptIn = 163 * KiB;
  m.f32FmaPerCycle = 64;
  m.f64FmaPerCycle = 32;
  m.f64TensorFmaPerCycle = 64; // A100 whitepaper: 19.5 against 9.7 TFLOPS
  // A100 whitepaper: 312, 156 TFLOPS, 624 TOPS.
  m.f16TensorFmaPerCycle = 1024;
  m.tf32TensorFmaPerCycle = 512;
  m.s8TensorFmaPerCycle = 2048;
  // NVIDIA A100 whitepaper and datasheet, SXM with 80 GB: 108 SMs, 1410 MHz,
  // 19.5 TFLOPS in f32, 40960 KB L2, 2039 GB/s.
  m.product = "A100 SXM 80GB";
  m.smCount = 108;
  m.clockHz = 1410e6;
  m.l2Bytes = 40 * MiB;
  m.dramBytesPerSecond = 2039e9;
  // L2, A100 whitepaper: 5120 bytes a clock.
  m.l2BytesPerSecond = 5120 * m.clockHz;
  m.latencies = {/*shared=*/29, /*l1=*/38, /*l2=*/262, /*dram=*/466};
  return m;
}

/// What the chips of graphics cards have in common, from sm_86 on.
static Machine graphicsChip(llvm::StringRef name, int64_t computeCapability,
                            int64_t maxBlocksPerSm) {
  Machine m;
  m.name = name;
  m.computeCapability = computeCapability;
  m.maxThreadsPerSm = 1536;
  m.maxBlocksPerSm = maxBlocksPerSm;
  m.sharedBytesPerSm = 100 * KiB;
  m.sharedBytesPerBlockOptIn = 99 * KiB;
  m.f32FmaPerCycle = 128;
  m.f64FmaPerCycle = 2;
  m.memoryPerCycle = 16;
  m.sharesF32WithInteger = true;
  // GA102, Ada and RTX Blackwell whitepapers: 71, 165, 209.5 TFLOPS in f16,
  // 35.6, 82.6, 104.8 in tf32, 284, 661, 838 TOPS.
  m.f16TensorFmaPerCycle = 256;
  m.tf32TensorFmaPerCycle = 128;
  m.s8TensorFmaPerCycle = 1024;
  return m;
}

Machine sm86() {
  Machine m = graphicsChip("sm_86", 86, /*maxBlocksPerSm=*/16);
  m.f16FmaPerCycle = 64;
  // NVIDIA Ampere GA102 whitepaper, GeForce RTX 3090: 82 SMs, 1695 MHz, 35.6
  // TFLOPS in f32, 6144 KB L2, 936 GB/s.
  m.product = "GeForce RTX 3090";
  m.smCount = 82;
  m.clockHz = 1695e6;
  m.l2Bytes = 6 * MiB;
  m.dramBytesPerSecond = 936e9;
  // L2, estimate: twice 64 bytes for each of 12 memory controllers, as T4 has.
  m.l2BytesPerSecond = 1536 * m.clockHz;
  // An estimate.
  m.latencies = {/*shared=*/23, /*l1=*/33, /*l2=*/220, /*dram=*/470};
  return m;
}

Machine sm89() {
  Machine m = graphicsChip("sm_89", 89, /*maxBlocksPerSm=*/24);
  m.f16FmaPerCycle = 64;
  // Ada whitepaper: 330.3 TFLOPS.
  m.f8TensorFmaPerCycle = 512;
  m.f8SumBits = 13; // MMA-Sim, arXiv:2511.10909
  // NVIDIA Ada architecture whitepaper, GeForce RTX 4090: 128 SMs, 2520 MHz,
  // 82.6 TFLOPS in f32, 73728 KB L2, 1008 GB/s.
  m.product = "GeForce RTX 4090";
  m.smCount = 128;
  m.clockHz = 2520e6;
  m.l2Bytes = 72 * MiB;
  m.dramBytesPerSecond = 1008e9;
  // L2, estimate: 5.2 TB/s, near what microbenchmarks report, not checked.
  m.l2BytesPerSecond = 2048 * m.clockHz;
  m.latencies = {/*shared=*/30, /*l1=*/43, /*l2=*/273, /*dram=*/542};
  return m;
}

Machine sm90() {
  Machine m = dataCenterChip("sm_90", 90);
  m.sharedBytesPerSm = 228 * KiB;
  m.sharedBytesPerBlockOptIn = 227 * KiB;
  m.f32FmaPerCycle = 128;
  m.f64FmaPerCycle = 64;
  m.f64TensorFmaPerCycle = 128; // H200 datasheet: 67 against 34 TFLOPS
  // H100 whitepaper: 989, 495 TFLOPS, 1979 TOPS at 1830 MHz.
  m.f16TensorFmaPerCycle = 2048;
  m.tf32TensorFmaPerCycle = 1024;
  m.s8TensorFmaPerCycle = 4096;
  m.f8TensorFmaPerCycle = 2048; // as halves
  // Measured on an H200: 0.604, and 0.455 to 0.458 by the shorter forms.
  m.mmaSyncShare = 0.604;
  m.mmaShortShare = 0.755;
  // NVIDIA H200 datasheet, SXM: 67 TFLOPS in f32 and 4.8 TB/s. 132 SMs, 50 MB
  // L2: H100 whitepaper, SXM, the same die. 1980 MHz: 67 TFLOPS over 132 SMs.
  m.product = "H200 SXM";
  m.smCount = 132;
  m.clockHz = 1980e6;
  m.l2Bytes = 50 * MiB;
  m.dramBytesPerSecond = 4800e9;
  // L2, estimate: the A100's bytes a clock; NVIDIA names none.
  m.l2BytesPerSecond = 5120 * m.clockHz;
  m.latencies = {/*shared=*/29, /*l1=*/41, /*l2=*/263, /*dram=*/479};
  // Measured on an H200: from an mma.sync to the one that adds to its results,
  // m16n8k16 of halves and m16n8k4 (docs/Performance.md).
  m.latencies.matrix = 26;
  m.latencies.matrixF64 = 34;
  // Measured on an H200: reading each second sector gets half of the bytes.
  m.dramAtomBytes = 64;
  // Measured on an H200: 32768 and 65536 blocks of 64 threads in 21.5 and 41.6
  // us (docs/Performance.md).
  m.cyclesPerStart = 1.25;
  return m;
}

Machine sm90a() {
  // The same chip; the name admits wgmma and setmaxnreg.
  Machine m = sm90();
  m.name = "sm_90a";
  return m;
}

Machine sm100a() {
  // A multiprocessor has the limits, rates and, by an estimate, the latencies
  // of sm_90, but for what follows.
  Machine m = sm90();
  m.name = "sm_100a";
  m.computeCapability = 100;
  m.ptxVersion = 86;
  m.ptxFeature = "+ptx86";
  m.cyclesPerStart = 0;
  m.f64TensorFmaPerCycle = 64; // HGX B200 datasheet: 37 TFLOPS either way
  // HGX B200 datasheet, one of eight: 2250, 1125 TFLOPS, 4500 TOPS.
  m.f16TensorFmaPerCycle = 4096;
  m.tf32TensorFmaPerCycle = 2048;
  m.s8TensorFmaPerCycle = 8192;
  m.f8TensorFmaPerCycle = 4096; // as halves
  m.mmaSyncShare = 0.31;        // an estimate: what it reaches on sm_90
  // NVIDIA HGX B200 datasheet, one of eight: 75 TFLOPS in f32, 7.7 TB/s.
  // 148 SMs; 1980 MHz: 75 TFLOPS over them. L2 as the driver reports it
  // (cudaDeviceProp::l2CacheSize, about 126 MB), not published by NVIDIA.
  m.product = "B200 SXM";
  m.smCount = 148;
  m.clockHz = 1980e6;
  m.l2Bytes = 126 * MiB;
  m.dramBytesPerSecond = 7700e9;
  // L2, estimate: a multiprocessor gets as much as one of sm_90.
  m.l2BytesPerSecond = 5740 * m.clockHz;
  return m;
}

Machine sm120() {
  Machine m = graphicsChip("sm_120", 120, /*maxBlocksPerSm=*/24);
  m.ptxVersion = 87;
  m.ptxFeature = "+ptx87";
  // RTX Blackwell whitepaper: 419 TFLOPS.
  m.f8TensorFmaPerCycle = 512;
  // NVIDIA RTX Blackwell architecture whitepaper, GeForce RTX 5090: 170 SMs,
  // 2407 MHz, 104.8 TFLOPS in f32, 98304 KB L2, 1792 GB/s.
  m.product = "GeForce RTX 5090";
  m.smCount = 170;
  m.clockHz = 2407e6;
  m.l2Bytes = 96 * MiB;
  m.dramBytesPerSecond = 1792e9;
  // L2, estimate: that of sm_89 a memory controller.
  m.l2BytesPerSecond = 2730 * m.clockHz;
  // An estimate.
  m.latencies = {/*shared=*/30, /*l1=*/43, /*l2=*/273, /*dram=*/542};
  return m;
}

llvm::ArrayRef<Machine> knownMachines() {
  static const Machine machines[] = {sm75(), sm80(),  sm86(),   sm89(),
                                     sm90(), sm90a(), sm100a(), sm120()};
  return machines;
}

static llvm::Expected<Machine>
findIn(llvm::ArrayRef<llvm::ArrayRef<Machine>> lists, llvm::StringRef name) {
  std::string names;
  for (llvm::ArrayRef<Machine> list : lists)
    for (const Machine &machine : list) {
      if (machine.name == name)
        return machine;
      names += (names.empty() ? "" : ", ") + machine.name.str();
    }
  return llvm::createStringError("expected one of " + names + ", got '" + name +
                                 "'");
}

llvm::Expected<Machine> findMachine(llvm::StringRef name) {
  return findIn(knownMachines(), name);
}

llvm::Expected<Machine> findSimulatedMachine(llvm::StringRef name) {
  return findIn({knownMachines(), validationMachines()}, name);
}

} // namespace mlir::tc
