//===- HostProgram.h - Run a program on the emulator ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a program that uses the CUDA driver, with the emulator in the driver's
// place: the dynamic linker finds a libcuda.so.1 that is the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef TC_INSPECT_HOSTPROGRAM_H
#define TC_INSPECT_HOSTPROGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mlir::tc {

/// Why a program was not started, by the exit status that `env` and `timeout`
/// have for it.
enum class StartFault {
  Other = 125,         ///< anything else
  NotExecutable = 126, ///< there is something, which cannot be run
  NotFound = 127,
};

/// The error of `runHostProgram`.
class StartError : public llvm::ErrorInfo<StartError> {
public:
  StartError(StartFault fault, std::string text)
      : fault(fault), text(std::move(text)) {}
  StartFault getFault() const { return fault; }
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }
  static inline char ID = 0;

private:
  StartFault fault;
  std::string text;
};

struct HostProgramOptions {
  std::string program; ///< a path, or a name to look for on PATH
  std::vector<std::string> arguments;
  /// The folder that has a libcuda.so.1: one beside this program when empty.
  std::string drivers;
  /// Variables of its environment to set.
  std::vector<std::pair<std::string, std::string>> environment;
};

/// What came of a run.
struct HostProgramResult {
  int status = 0;         ///< of the program; 128 and the number of a signal
  std::string signal;     ///< what it is called; empty: it exited
  uint64_t processes = 0; ///< that opened the driver and ended
  uint64_t launches = 0, errors = 0; ///< of all of them
};

/// Runs the program to its end, with the standard input and output of this
/// process. Fails where it cannot be started, or the emulator cannot take the
/// driver's place in it.
llvm::Expected<HostProgramResult>
runHostProgram(const HostProgramOptions &options);

/// What to know of a program before it runs; empty: nothing. It may be told of
/// where a program then makes no call of the driver.
std::string explainRuntime(llvm::StringRef image);

} // namespace mlir::tc

#endif // TC_INSPECT_HOSTPROGRAM_H
