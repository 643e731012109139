//===- Run.h - A compiled program on a device -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the host function that the pipeline made, on the emulator or on a GPU,
// and compares what it computed with the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_RUN_H
#define TC_RUNNER_RUN_H

#include "tc/Runner/Compile.h"

namespace mlir::tc {

struct RunOptions {
  CompileOptions compile;
  std::string device = "auto"; ///< auto, cuda, emulator
  /// The library with the mgpu functions; empty: beside the program.
  std::string library;
  /// .npy files: one for each argument, or for each that is only read.
  std::vector<std::string> inputs;
  /// .npy files for the results: those the function writes and those it
  /// returns, in this order.
  std::vector<std::string> outputs;
  bool verify = false;
  /// Names of results that need not be judged: "result0" is the first.
  std::vector<std::string> unjudged;
  uint64_t seed = 0; ///< of the arguments that no file gives
  /// With verify: after a run that is verified, run it again with one thing
  /// wrong at a time, and note which of these faults the verdict finds.
  bool faults = false;
  /// Extents of an einsum that are known at run time only, as in
  /// InputOptions::sizes, for each time that the program is to run: "a=3;a=7".
  std::string run;
};

/// A fault that was made on purpose.
struct Fault {
  std::string text;
  bool isCaught = false; ///< did the run fail, or the verdict?
};

/// What came out of the host function, run once.
struct Outcome {
  std::string sizes;  ///< that were given for this run
  double seconds = 0; ///< wall clock of the host function
  /// With RunOptions::verify: is every result judged, or need not be, and did
  /// every element keep its bound?
  std::optional<bool> verified;
  bool isWrong = false; ///< an element did not keep its bound
  /// The results that are not judged although they need to be.
  std::vector<std::string> unjudged;
  double maxRelativeError = 0; ///< the worst Comparison::maxError
  double tolerance = 0;        ///< the widest Comparison::maxBound
  /// Had the arguments few bits, since rounding may hide more than 1 % else?
  bool hasFewBits = false;
  std::string mismatch;      ///< where it is worst, when not verified
  std::vector<Fault> faults; ///< of RunOptions::faults
};

/// What came out of all runs: the outcome of one, or of several the sum of the
/// times and the worst of the rest.
struct RunResult : Outcome {
  Compilation compilation;
  std::string device;            ///< emulator or cuda
  std::vector<Outcome> outcomes; ///< of RunOptions::run
};

/// The verdict in words, where a result is not verified.
llvm::Error checkVerdict(const Outcome &outcome);

/// Compiles and runs `program`. A kernel's fault is an error with the report of
/// the device; a wrong result is not.
llvm::Expected<RunResult> run(Program &program, const RunOptions &options);

} // namespace mlir::tc

#endif // TC_RUNNER_RUN_H
