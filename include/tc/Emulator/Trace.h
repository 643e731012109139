//===- Trace.h - Simulated time of a traced launch --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Level B of simulated time: the warps of one multiprocessor take the
// instructions of a trace in turns, wait for registers, pipes, memory and each
// other, and the clock says when the last one ends. See Note [Level B] in
// lib/Emulator/Time/Simulate.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TRACE_H
#define TC_EMULATOR_TRACE_H

#include "tc/Emulator/Counts.h"

namespace tc::emulator {

/// What one block of each class of a launch did, warp by warp
/// (LaunchOptions::trace).
class LaunchTrace;

/// Where the cycles of warps go.
enum class Loss : uint8_t {
  Issue,   ///< none lost: an instruction issues
  Result,  ///< waits for the result of arithmetic
  Shared,  ///< for data from shared memory
  Global,  ///< for data from global memory, or a group of copies
  Barrier, ///< for other warps
  Pipe,    ///< its pipe is busy
  Queue,   ///< the load/store unit takes no more
  Others,  ///< another warp issues
  Branch,  ///< for the instructions behind a branch, or a block's first ones
};
constexpr unsigned kLosses = 9;
/// Its name in reports.
llvm::StringRef getName(Loss loss);

/// A simulated time (level B).
struct TracedTime {
  std::string machine;
  double seconds = 0;
  double launchSeconds = 0;
  double error = 0;  ///< as SimulatedTime::error
  double cycles = 0; ///< of the fullest multiprocessor
  int64_t blocksPerSm = 0;
  double blocks = 0;          ///< that the fullest multiprocessor runs
  double simulatedBlocks = 0; ///< of these; the others follow from them
  uint64_t instructions = 0;  ///< of warps, simulated
  /// What keeps the result from being trusted, in words; else empty.
  std::string outside;
  double losses[kLosses] = {}; ///< shares of the cycles of resident warps

  /// An instruction that warps wait at.
  struct Line {
    unsigned line = 0;       ///< of the PTX, from 1
    double share = 0;        ///< of the cycles of resident warps
    Loss loss = Loss::Issue; ///< the largest part of it
  };
  std::vector<Line> lines; ///< at most ten, by falling share

  /// A line for the time, one for the losses, and one per line.
  void print(llvm::raw_ostream &os) const;
};

/// Simulates the launch that `trace` and `counts` are of on `machine`, where
/// `blocksPerSm` (at least 1) blocks of `registers` (0: unknown, taken as the
/// most) a thread are resident.
TracedTime simulateTrace(const LaunchTrace &trace, const LaunchCounts &counts,
                         const mlir::tc::Machine &machine, unsigned blocksPerSm,
                         int64_t registers);

} // namespace tc::emulator

namespace mlir::tc::schema {
template <>
llvm::ArrayRef<llvm::StringLiteral> getNames<::tc::emulator::Loss>();
template <>
const Structure<::tc::emulator::TracedTime> &describe();
} // namespace mlir::tc::schema

#endif // TC_EMULATOR_TRACE_H
