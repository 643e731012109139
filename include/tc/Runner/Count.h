//===- Count.h - What a program's kernels do, counted --------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs some blocks of each launch of a compiled program on the emulator, in
// memory that holds anything, and scales what they do to the whole grid: for
// problems far larger than could be run.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_COUNT_H
#define TC_RUNNER_COUNT_H

#include "tc/Emulator/Trace.h"
#include "tc/Runner/Compile.h"

namespace mlir::tc {

struct CountOptions {
  CompileOptions compile;
  std::string run; ///< extents for the '?' of an einsum, as "a=16,b=16"
  /// Of a program, NumPy files of all arguments: they give dynamic extents, and
  /// arguments that are an index. Elements are not read.
  std::vector<std::string> inputs;
  uint32_t sampleBlocks = 0; ///< of each launch; 0: all
  uint64_t seed = 0;         ///< of their choice
  bool simulate = false;     ///< by instruction, too (level B)
};

/// What a launch passes: an argument of the host function or a buffer that it
/// allocates, by number, or else the bits of a number.
struct LaunchArgument {
  std::string kind; ///< "argument", "temporary", or "i8" to "i64"
  int64_t value;
};

/// One launch, in the order in which they ran.
struct CountedLaunch {
  uint32_t dynamicSharedBytes = 0;
  llvm::SmallVector<LaunchArgument> arguments;
  std::shared_ptr<const ::tc::emulator::LaunchCounts> counts;
  std::shared_ptr<const ::tc::emulator::LaunchTrace> trace; ///< or null
  ::tc::emulator::CountedTime time;
  // Where occupancy is known, and the second where it was asked for.
  std::optional<SimulatedTime> simulated;           ///< level A
  std::optional<::tc::emulator::TracedTime> traced; ///< level B
};

/// What the host compared with a limit, of tc.threshold.
struct ComparedNumber {
  std::string limit;
  int64_t number;
};

struct CountResult {
  Compilation compilation;
  Machine machine; ///< whose rates the times are
  /// Those of the host function: its shapes, and where its elements lie.
  llvm::SmallVector<EinsumProblem::Operand> arguments;
  llvm::SmallVector<int64_t> temporaries; ///< bytes of each that it allocates
  std::vector<CountedLaunch> launches;
  /// Counted seconds of all launches, and of those along the longest chain in
  /// which each waits for the one before; and those in which the busiest unit
  /// of the device does the work of all launches. A program whose kernels run
  /// side by side takes at least the latter two.
  double serialSeconds = 0, longestSeconds = 0, busiestSeconds = 0;
  std::vector<ComparedNumber> compared; ///< each once, in order
};

/// Compiles `program` and counts its launches. Fails where extents are dynamic
/// and neither `run` nor `inputs` give them, and where a kernel faults.
llvm::Expected<CountResult> count(Program &program,
                                  const CountOptions &options);

} // namespace mlir::tc

#endif // TC_RUNNER_COUNT_H
