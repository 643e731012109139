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
};

/// What came out of a run.
struct RunResult {
  Compilation compilation;
  std::string device; ///< emulator or cuda
  double seconds = 0; ///< wall clock of the host function, once
  /// With RunOptions::verify: did every element keep the tolerance?
  std::optional<bool> verified;
  double maxRelativeError = 0; ///< see Comparison::maxRelativeError
  double tolerance = 0;
  std::string mismatch; ///< where it is worst, when not verified
};

/// Compiles and runs `program`. A kernel's fault is an error with the report of
/// the device; a wrong result is not.
llvm::Expected<RunResult> run(Program &program, const RunOptions &options);

} // namespace mlir::tc

#endif // TC_RUNNER_RUN_H
