//===- Counts.h - What a launch did, counted --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The counters of one launch, for the kernel and for each place in it that
// accesses memory, and the time that follows from them on a machine. The PTX
// alone is counted, so a GPU's own counters differ where ptxas changed the
// program: a PTX instruction is not always one machine instruction, and no
// cache is simulated. Names in brackets are Nsight Compute's metrics that count
// the same thing.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_COUNTS_H
#define TC_EMULATOR_COUNTS_H

#include "tc/Emulator/Blocks.h"
#include "tc/Emulator/Report.h"
#include "tc/Emulator/Reuse.h"
#include "tc/Target/LaunchTime.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace tc::emulator {

/// What the accesses of a place, or of many, did. A request is one instruction
/// of one warp with a lane that accesses memory.
struct AccessCounts {
  /// [l1tex__t_requests_pipe_lsu_mem_global_op_{ld,st}, smsp__inst_executed_op]
  uint64_t requests = 0;
  uint64_t lanes = 0; ///< that accessed memory, over all requests
  uint64_t bytes = 0; ///< asked for: lanes times width
  /// 32-byte sectors that each request touched; global and local memory.
  /// [l1tex__t_sectors_pipe_lsu_mem_global_op_{ld,st}]
  uint64_t sectors = 0;
  /// The fewest sectors that hold the distinct bytes of each request.
  /// [memory_l2_theoretical_sectors_global_ideal]
  uint64_t idealSectors = 0;
  /// Of the sectors, those that L1 passes on to L2: of loads through L1, each
  /// once between two barriers of a block, and all others (Count/LoadCache.h).
  /// [lts__t_sectors_srcunit_tex]
  uint64_t l2Sectors = 0;
  /// 128-byte lines that each request touched, and of these the ones with
  /// sectors that went to L2. [lts__t_requests_srcunit_tex]
  uint64_t lines = 0, l2Lines = 0;
  /// Cycles that shared memory was busy.
  /// [l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{ld,st}]
  /// Of constant memory, the different addresses of each request, which are
  /// served one by one (CUDA C++ Programming Guide, "constant memory").
  uint64_t wavefronts = 0;
  /// The fewest that the distinct words of each request could take at the width
  /// of its accesses: see Count/Pattern.h.
  /// [memory_l1_wavefronts_shared_ideal]
  uint64_t idealWavefronts = 0;
  /// Of shared memory, requests and wavefronts where ptxas makes one load of up
  /// to 16 bytes of neighbours (Count/Structure.h); of constant memory, the
  /// same as above.
  uint64_t machineRequests = 0, machineWavefronts = 0;

  AccessCounts &operator+=(const AccessCounts &other);
};

/// Global memory touched at least once, in bytes and in 32-byte sectors.
struct Distinct {
  uint64_t bytes = 0, sectors = 0;
};

/// Between L2 and memory, estimated.
struct DramBytes {
  double read = 0, written = 0;
  double sum() const { return read + written; }
};

/// Where and how memory is accessed, as sums are kept.
struct AccessClass {
  std::string space; ///< "global", "shared", "local", "const", "param"
  std::string kind;  ///< "read", "write" or "atomic"
  AccessCounts counts;
};

/// One place in a kernel that accesses one kind of memory.
struct SiteCounts : AccessClass {
  uint32_t site = 0;  ///< index among the kernel's sites
  unsigned line = 0;  ///< of the PTX text, from 1
  std::string source; ///< "file:line:column" where `.loc` tells, else empty
  std::string opcode; ///< with its modifiers
  Distinct distinct;  ///< of global memory, by the blocks that ran
};

/// Instructions of one kind. Those under a false guard count as executed, as on
/// a GPU; lanes are those that arrived at the instruction's basic block.
struct InstructionCounts {
  std::string name;        ///< "fma.f32", "mma.m16n8k8.tf32", "ld.global.16B"
  std::string unit;        ///< that executes them: the time term they load
  uint64_t warps = 0;      ///< executions by a warp [smsp__inst_executed]
  uint64_t lanes = 0;      ///< by a thread [smsp__thread_inst_executed]
  uint64_t operations = 0; ///< of the unit: lanes, or multiply-adds of an mma
  uint64_t slots = 1;      ///< instructions that ptxas makes of one
};

/// One line of PTX that has instructions of the kernel, executed or not.
struct LineCounts {
  unsigned line = 0; ///< of the PTX text, from 1
  std::string text;  ///< the instruction as written
  /// The innermost place in the source, where `.loc` tells: a path and a line.
  std::string file;
  unsigned sourceLine = 0;
  uint64_t warps = 0, lanes = 0; ///< as InstructionCounts has them
  uint64_t slots = 0;            ///< issue slots, as LaunchCounts::getIssued
  uint64_t divergent = 0;        ///< branches after which lanes parted
  AccessCounts global, shared, local; ///< accesses of these spaces

  LineCounts &operator+=(const LineCounts &other);
};

/// An innermost loop that multiplies and adds, or a basic block in no loop that
/// does. What ptxas unrolls or moves out of a loop is not known here.
struct LoopCounts {
  unsigned line = 0;       ///< of the PTX, where the loop begins
  uint64_t iterations = 0; ///< by warps
  /// Executed by warps, without moves, which ptxas folds away.
  uint64_t instructions = 0;
  uint64_t multiplyAdds = 0; ///< of these, fused multiply-adds and mma
};

/// How the work of a warp hangs together: what simulated time depends on beside
/// amounts (Note [Level A] in lib/Target/LaunchTime.cpp).
struct WaitCounts {
  double rounds = 0;   ///< waits of a warp for global memory
  double ahead = 0;    ///< steps asked ahead, on average over the rounds
  double copied = 0;   ///< share of the rounds that wait for cp.async
  double barriers = 0; ///< of a warp
  /// Multiply-adds in a row of one result, between barriers and joins; the
  /// harmonic mean over all.
  double depth = 1;
};

/// Conditional branches [smsp__sass_branch_targets].
struct BranchCounts {
  unsigned line = 0;
  uint64_t warps = 0;     ///< executions
  uint64_t divergent = 0; ///< after which lanes went different ways
                          ///< [smsp__sass_branch_targets_threads_divergent]
};

/// What happened inside one allocation of global memory, in address order; at
/// the end perhaps what was in none.
struct AllocationCounts {
  uint64_t bytes = 0;              ///< its size; 0: of none
  Distinct read, written, touched; ///< by the blocks that ran
  /// The same for all blocks. When sampled: by the base and its neighbours,
  /// where the base touches any; else in proportion to the blocks; at most the
  /// allocation.
  Distinct allRead, allWritten, allTouched;
  /// In sectors; nothing where the base did not run.
  Reuse readReuse, writtenReuse, touchedReuse;
};

/// Blocks alike (BlockBox::classOf).
struct BlockClass {
  uint32_t lastAxes = 0; ///< bit a: at the last index of axis a
  uint64_t blocks = 0;   ///< of the grid
  uint64_t run = 0;      ///< of these that ran
};

/// One launch. When only some blocks ran, all counts are scaled up, each class
/// of blocks by its own factor; what is distinct is given both as seen and as
/// extrapolated.
struct LaunchCounts {
  std::string kernel;
  Dim3 grid, block;
  BlockBox box;             ///< how the blocks are numbered
  uint64_t sharedBytes = 0; ///< of one block, static and dynamic
  uint64_t blocksRun = 0;
  std::vector<BlockClass> classes;
  bool isSampled() const { return blocksRun < grid.count(); }

  std::vector<SiteCounts> sites;
  std::vector<AccessClass> memory; ///< sums over all sites
  std::vector<InstructionCounts> instructions;
  std::vector<BranchCounts> branches;
  std::vector<LineCounts> lines; ///< in order
  WaitCounts waits;
  std::vector<LoopCounts> loops; ///< by falling number of multiply-adds
  std::vector<AllocationCounts> allocations;
  Distinct read, written, touched; ///< of global memory, by blocks that ran
  Distinct allRead, allWritten, allTouched; ///< the same for all blocks

  /// Adds an allocation, to the sums too.
  void add(const AllocationCounts &part);
  /// The sum of `memory` over kinds where `kind` is empty.
  AccessCounts getMemory(llvm::StringRef space,
                         llvm::StringRef kind = {}) const;
  uint64_t getWarpInstructions() const;
  /// The same without moves and without what ptxas merges with another load:
  /// issue slots [smsp__inst_issued].
  uint64_t getIssued() const;
  /// Loads from shared memory that ptxas makes part of a wider one.
  uint64_t getMerged() const;
  /// Of 32, on average over instructions
  /// [smsp__thread_inst_executed_per_inst_executed].
  double getActiveLanes() const;
  /// Bytes between L1 and L2, of global memory [lts__t_bytes].
  uint64_t getL2Bytes() const;
  /// Bytes between L2 and memory [dram__bytes], estimated. What blocks touch
  /// together moves once for `together` consecutive blocks, which run at the
  /// same time; and once for all along an axis if L2 (`l2Bytes`) holds what is
  /// touched by as many blocks and those up to the next one along that axis.
  /// At least each distinct sector once, at most the L2 traffic.
  DramBytes estimateDramBytes(uint64_t l2Bytes, uint64_t together) const;
  /// Of a unit. Instructions use it in whole warps: lanes that are not active
  /// still take their place.
  double getOperations(llvm::StringRef unit) const;

  /// What a kernel does as a whole, in a few lines.
  void print(llvm::raw_ostream &os) const;
  /// How often each instruction, branch and loop ran, and what each access of
  /// memory did, by line of PTX.
  void printSites(llvm::raw_ostream &os) const;
};

/// The time of a launch that hides every latency and overlaps all it does:
/// launch plus the largest term. A real one takes longer; it takes less than a
/// term says only where caches do better than the models above, or ptxas drops
/// instructions.
struct CountedTime {
  struct Term {
    std::string name;
    std::string metric; ///< Nsight Compute's figure for the same limit
    double amount = 0;
    double perSecond = 0; ///< of the whole machine; 0: unknown
    double seconds = 0; ///< with the tail, where the term is a multiprocessor's
  };
  std::string machine;
  std::vector<Term> terms;
  /// Time of the fullest multiprocessor over the average's: blocks are whole.
  double tail = 1;
  /// Blocks over blocks resident at once [launch__waves_per_multiprocessor]; 0:
  /// occupancy unknown.
  double waves = 0;
  double launchSeconds = 0;
  double seconds = 0;
  std::string limiter; ///< name of the largest term; empty: nothing counted

  /// The time, what limits it, and the terms, the longest one first.
  void print(llvm::raw_ostream &os) const;
  /// A line for each term: what is counted, over the rate of the machine.
  void printTerms(llvm::raw_ostream &os) const;
};

/// The simulated time (level A) of what was counted; `blocksPerSm` as below.
mlir::tc::SimulatedTime simulateTime(const LaunchCounts &counts,
                                     const mlir::tc::Machine &machine,
                                     unsigned blocksPerSm = 0);

/// `blocksPerSm` (0: unknown, counted as 1) is how many blocks one
/// multiprocessor holds.
CountedTime countTime(const LaunchCounts &counts,
                      const mlir::tc::Machine &machine,
                      unsigned blocksPerSm = 0);

} // namespace tc::emulator

namespace mlir::tc::schema {
template <>
const Structure<::tc::emulator::LaunchCounts> &describe();
template <>
const Structure<::tc::emulator::CountedTime> &describe();
} // namespace mlir::tc::schema

#endif // TC_EMULATOR_COUNTS_H
