//===- Machine.h - Limits and rates of one chip -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a schedule has to obey and what a cost model counts with, as data: one
// function per chip, in lib/Target/Chips.cpp, with the source of each number. A
// chip is a compute capability plus one product that stands for it, since the
// number of multiprocessors, clocks and memories belong to products.
//
// Sources, by the names that the comments use:
//   guide      CUDA C++ Programming Guide 13.0, compute capabilities, table
//              "technical specifications per compute capability", and section
//              "arithmetic instructions", table of throughputs
//   occupancy  cuda_occupancy.h of CUDA 13.0, NVIDIA's own calculator
//   llvm       llc 22.1 -march=nvptx64: the least PTX version it and ptxas
//              13.0 take for the chip
//   otherwise  NVIDIA's whitepaper or data sheet of the product. Not checked on
//              a device, and B200's clock and L2 not confirmed at all. Rates of
//              L2 but that of sm_80 are estimates. The choice of a schedule and
//              the counted time of docs/Emulator.md depend on these rates.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_MACHINE_H
#define TC_TARGET_MACHINE_H

#include "tc/Target/Limits.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <algorithm>
#include <cstdint>

namespace mlir::tc {

struct MmaShape;

/// One chip. Sizes are in bytes, rates per second or per cycle as the name
/// says. The defaults hold for every chip known here (guide, occupancy).
struct Machine {
  // Names.
  llvm::StringRef name;          ///< as LLVM and ptxas call it: "sm_90a"
  llvm::StringRef product;       ///< whose counts and clocks these are
  int64_t computeCapability = 0; ///< 10 * major + minor: 90
  int64_t ptxVersion = 80; ///< 10 * major + minor, at least what llvm says
  llvm::StringRef ptxFeature = "+ptx80"; ///< the same for LLVM

  // Limits of one launch; the others are LaunchLimits.
  int64_t maxThreadsPerBlock = LaunchLimits().blockThreads;
  int64_t warpSize = kWarpSize;

  // Limits of one multiprocessor (guide, occupancy).
  int64_t maxThreadsPerSm = 0;
  int64_t maxBlocksPerSm = 0;
  int64_t registersPerSm = 65536;    ///< of 32 bits
  int64_t registersPerBlock = 65536; ///< of 32 bits
  int64_t maxRegistersPerThread = 255;
  int64_t localBytesPerThread = 524288;
  int64_t registerAllocationUnit = 256; ///< registers, a warp at a time
  int64_t partitionsPerSm = 4;          ///< each with a quarter of registers
  int64_t sharedBytesPerSm = 0;
  int64_t sharedBytesPerBlock = 49152;  ///< without opting in
  int64_t sharedBytesPerBlockOptIn = 0; ///< with the function attribute
  int64_t sharedBytesReserved = 1024;   ///< a block, by the system
  int64_t sharedAllocationUnit = 128;
  int64_t sharedBanks = 32; ///< of 4 bytes, each once a cycle

  // The product.
  int64_t smCount = 0;
  double clockHz = 0; ///< boost
  int64_t l2Bytes = 0;
  double l2BytesPerSecond = 0; ///< all multiprocessors together, reading
  double l2BytesPerCycle = 64; ///< one multiprocessor, at most: two sectors
  /// L2 takes as long to read a line of which fewer sectors are asked for. A
  /// slice reads 64 bytes a cycle (NVIDIA A100 whitepaper).
  double l2LeastSectors = 2;
  double dramBytesPerSecond = 0;
  /// Of `dramBytesPerSecond`, what copies reach: an estimate. Simulated times
  /// know it, counted ones do not.
  double dramEfficiency = 0.92;
  /// What DRAM moves at least, in bytes.
  double dramAtomBytes = 32;
  /// Of an empty kernel, one after another in a stream. An estimate: about 3 us
  /// with recent chips and drivers (NVIDIA's developer forum, thread 233645).
  /// It depends on the host more than on the chip, so no chip has its own.
  double launchSeconds = 3e-6;
  /// From one block that the chip starts to the next, wherever that one runs;
  /// 0: not known.
  double cyclesPerStart = 0;

  // A cycle and multiprocessor (guide). Lanes of warp instructions where
  // nothing else is said; those with a value hold for most chips.
  int64_t issuedPerCycle = 4; ///< warp instructions, one of each scheduler
  int64_t f32FmaPerCycle = 0;
  int64_t f64FmaPerCycle = 0;
  int64_t f16FmaPerCycle = 128; ///< each of one half or of two
  int64_t integerPerCycle = 64;
  int64_t convertPerCycle = 64;
  int64_t specialPerCycle = 16;
  int64_t memoryPerCycle = 32;   ///< loads, stores, atomics and shuffles
  double wavefrontsPerCycle = 1; ///< of shared memory
  /// Half of the lanes of f32 do integers, too: both share `f32FmaPerCycle`.
  bool sharesF32WithInteger = false;
  // Multiply-adds of the tensor units.
  int64_t f64TensorFmaPerCycle = 0; ///< 0: no tensor unit that helps f64
  // Dense, summed in f32 or s32. From the published TFLOPS, which for sm_90 and
  // sm_100a are at a lower clock than `clockHz`; what `mma.sync` alone reaches
  // there is less (wgmma, tcgen05).
  int64_t f16TensorFmaPerCycle = 0;  ///< and bf16
  int64_t tf32TensorFmaPerCycle = 0; ///< 0: none
  int64_t s8TensorFmaPerCycle = 0;
  /// Of `mma.sync`, which multiplies halves on sm_90 and sm_100: ptxas 13.0
  /// makes F2FP and HMMA of it there, and QMMA on sm_89 and sm_120.
  int64_t f8TensorFmaPerCycle = 0;
  /// Bits after the point that its sums keep of the largest term; 0: about as
  /// many as .f32 has.
  int64_t f8SumBits = 0;
  /// Does `mma.sync` turn numbers of 8 bits into halves first?
  bool widensF8() const { return f8TensorFmaPerCycle == f16TensorFmaPerCycle; }
  /// The part of these rates that `mma.sync` reaches, f64 apart.
  double mmaSyncShare = 1;
  /// Of that, what the forms with fewer terms reach: m16n8k8 of halves, and so
  /// on.
  double mmaShortShare = 1;

  /// Cycles from a load to its use on an idle machine: from shared memory
  /// without conflicts, from L1, from L2, and from memory where the TLB hits;
  /// from the last arrival at a barrier of a block until its warps go on; and
  /// from a load of constants to its use, where they are in their first cache
  /// (V100: Jia et al., arXiv:1804.06826, chapter 3; others are taken to be
  /// alike).
  struct Latencies {
    double shared = 0, l1 = 0, l2 = 0, dram = 0, barrier = 20, constant = 27;
    /// From the end of a block until the first instruction of the one that
    /// takes its place. An estimate.
    double block = 200;
    /// To the use of a result: of f32 and integers, of f64, of the special
    /// functions and conversions, of mma.sync, in f64, and of wgmma. Estimates
    /// where a chip has no own ones.
    double arithmetic = 4, f64 = 8, special = 18, matrix = 33, matrixF64 = 33,
           group = 33;
  } latencies;
  /// Mean of |simulated - measured| / measured over the published kernels of
  /// benchmarks/results/simulated.csv, of each level; 0: there are none for
  /// this machine.
  double levelAError = 0, levelBError = 0;

  /// Operations a second at the boost clock; a fused multiply-add counts two.
  double f32Flops() const { return flops(f32FmaPerCycle); }
  double f64Flops() const { return flops(f64FmaPerCycle); }
  /// Of `mma.sync` with inputs of `type`: f64, f16, bf16, tf32, s8 or f8. Where
  /// no tensor unit helps f64, its lanes do it; 0 where there is none of
  /// others.
  double getMmaPerCycle(llvm::StringRef type) const;
  /// The same of one form.
  double getMmaPerCycle(const MmaShape &shape) const;
  double getMmaFlops(llvm::StringRef type) const {
    return 2 * getMmaPerCycle(type) * double(smCount) * clockHz;
  }
  double f64TensorFlops() const { return flops(f64TensorFmaPerCycle); }
  /// Bytes a second that all multiprocessors read from shared memory, when no
  /// bank is asked twice.
  double sharedBytesPerSecond() const {
    return double(smCount) * double(sharedBanks) * 4 * wavefrontsPerCycle *
           clockHz;
  }
  /// Sectors of full lines that L2 takes as long to read as `sectors` in
  /// `lines` of which each request asks for a part.
  double getL2Slots(double sectors, double lines) const {
    return sectors > l2LeastSectors * lines ? sectors : l2LeastSectors * lines;
  }
  /// Bytes that DRAM moves beside the `sectors` in `lines` that requests store
  /// `bytes` to: the rest of an atom, and twice a sector that a request fills
  /// in part, even where another one fills the rest soon. See Note [Stores that
  /// fill no sector].
  double getScatteredStoreBytes(double bytes, double sectors,
                                double lines) const {
    if (dramAtomBytes <= 32)
      return 0;
    double atoms = std::max(lines, 32 * sectors / dramAtomBytes);
    double missing = std::max(32 * sectors - bytes, 0.0);
    return dramAtomBytes * atoms + std::min(2 * missing, 32 * sectors) -
           32 * sectors;
  }
  /// Bytes that DRAM moves for stores which give L2 `given` bytes, `distinct`
  /// of them different ones; `scattered` is what getScatteredStoreBytes says of
  /// all of them. What is stored over and over stays in L2.
  static double getStoredDramBytes(double distinct, double given,
                                   double scattered) {
    double often = given > 0 ? std::min(2 * distinct / given, 1.0) : 0;
    return distinct + often * scattered;
  }
  /// Cycles of a load/store unit for requests of global memory: a line's tag
  /// takes one, and so does what a wavefront would hold.
  double getGlobalCycles(double requests, double sectors, double lines) const {
    double data = sectors / (4 * wavefrontsPerCycle);
    double lanes = requests * double(warpSize) / double(memoryPerCycle);
    return std::max({lines, data, lanes});
  }
  /// The same for shared memory.
  double getSharedCycles(double requests, double wavefronts) const {
    return std::max(wavefronts / wavefrontsPerCycle,
                    requests * double(warpSize) / double(memoryPerCycle));
  }
  /// Operands and results of f64 are guarded by scoreboards, as those of memory
  /// instructions: where its pipe is narrow. From the control codes of ptxas
  /// 12.9 and 13.0: sm_60 to sm_89 and sm_120 do, sm_90 and sm_100 do not.
  bool guardsF64() const { return f64FmaPerCycle < 64; }
  /// Instructions, by the chips for which the PTX ISA has them. Copies from
  /// global to shared memory that threads need not wait for: cp.async.
  bool hasAsyncCopies() const { return computeCapability >= 80; }
  /// Minima of magnitudes with a sign: min.xorsign.abs.
  bool hasSignedMinimum() const { return computeCapability >= 86; }
  /// Conversions from and to floats of 8 bits: cvt.rn.f16x2.e4m3x2.
  bool hasF8Conversions() const { return computeCapability >= 89; }
  /// Rounding to tf32, to the nearest even number: cvt.rn.tf32.
  bool hasRoundingToTf32() const { return computeCapability >= 90; }
  /// Clusters of blocks: .reqnctapercluster.
  bool hasClusters() const { return computeCapability >= 90; }
  int64_t maxWarpsPerSm() const { return maxThreadsPerSm / warpSize; }

private:
  double flops(int64_t fmaPerCycle) const {
    return 2.0 * double(smCount) * double(fmaPerCycle) * clockHz;
  }
};

// One function per chip.
Machine sm75();
Machine sm80();
Machine sm86();
Machine sm89();
Machine sm90();
Machine sm90a();
Machine sm100a();
Machine sm120();

/// What kernels are for where nobody says it.
inline constexpr llvm::StringLiteral kDefaultChip = "sm_90a";

/// All of them, by rising compute capability.
llvm::ArrayRef<Machine> knownMachines();

/// Products on which others published times of kernels, named as in
/// benchmarks/published: "V100", "P100", "A6000", "RTX 2080 Super". They are
/// there to validate simulated time; no kernel is made for them.
llvm::ArrayRef<Machine> validationMachines();

/// A known machine or one of those for validation, by name; else an error that
/// lists all.
llvm::Expected<Machine> findSimulatedMachine(llvm::StringRef name);

/// The machine of this name, for example "sm_90a"; else an error that lists the
/// known names.
llvm::Expected<Machine> findMachine(llvm::StringRef name);

} // namespace mlir::tc

#endif // TC_TARGET_MACHINE_H
