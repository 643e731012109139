//===- KernelRun.h - Run one kernel of a PTX file ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a kernel on the emulator with arguments that are described in words, and
// says what was found and counted.
//
//===----------------------------------------------------------------------===//

#ifndef TC_INSPECT_KERNELRUN_H
#define TC_INSPECT_KERNELRUN_H

#include "tc/Emulator/Session.h"

namespace mlir::tc {

struct KernelRunOptions {
  std::string ptx;    ///< path of the PTX text
  std::string launch; ///< see KernelLaunch.h
  ::tc::emulator::Settings settings;
  /// Are terms of times, and counts by line of PTX, parts of the text?
  bool hasSites = false;
};

/// What came of a run: the emulator's report, and whether it is clean.
struct KernelRunResult {
  std::string json, text;
  size_t findings = 0;
};

/// Runs the kernel, and writes the files that its launch and the settings name.
/// An error came before it ran, or when a file was written.
llvm::Expected<KernelRunResult> runKernel(const KernelRunOptions &options);

/// The JSON Schema of a launch in a file.
std::string formatLaunchSchema();

} // namespace mlir::tc

#endif // TC_INSPECT_KERNELRUN_H
