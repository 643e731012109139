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
  uint64_t seed = 0; ///< of the arguments that no file gives
  /// Extents of an einsum that are known at run time only, as in
  /// InputOptions::sizes, for each time that the program is to run: "a=3;a=7".
  std::string run;
};

/// What came out of the host function, run once.
struct Outcome {
  std::string sizes;  ///< that were given for this run
  double seconds = 0; ///< wall clock of the host function
  /// With RunOptions::verify: did every element keep the tolerance?
  std::optional<bool> verified;
  double maxRelativeError = 0; ///< see Comparison::maxRelativeError
  double tolerance = 0;
  std::string mismatch; ///< where it is worst, when not verified
};

/// What came out of all runs: the outcome of one, or of several the sum of the
/// times and the worst of the rest.
struct RunResult : Outcome {
  Compilation compilation;
  std::string device;            ///< emulator or cuda
  std::vector<Outcome> outcomes; ///< of RunOptions::run
};

/// Compiles and runs `program`. A kernel's fault is an error with the report of
/// the device; a wrong result is not.
llvm::Expected<RunResult> run(Program &program, const RunOptions &options);

} // namespace mlir::tc

#endif // TC_RUNNER_RUN_H
