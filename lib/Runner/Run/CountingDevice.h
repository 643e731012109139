//===- CountingDevice.h - A device that counts launches ------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions that compiled host code calls, over the emulator in this
// process. All happens at once; streams and events say what could not.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_COUNTINGDEVICE_H
#define TC_LIB_RUNNER_RUN_COUNTINGDEVICE_H

#include "Run/CountedStreams.h"

#include "tc/Emulator/Emulator.h"
#include "tc/Runner/Count.h"

#include "llvm/ADT/SetVector.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::tc {

/// One at a time: the functions have no other way to find it.
class CountingDevice {
public:
  /// How kernels are run; they are counted whatever `options` says.
  explicit CountingDevice(const ::tc::emulator::LaunchOptions &options);
  CountingDevice(const CountingDevice &) = delete;
  ~CountingDevice();

  /// Names and addresses of the mgpu functions.
  static std::vector<std::pair<llvm::StringRef, void *>> getFunctions();

  /// Memory that holds anything. Null after an error.
  void *allocate(uint64_t bytes);
  /// What went wrong first, if anything did.
  llvm::Error check();
  /// How some kernels number their blocks. A launch takes the one that has as
  /// many blocks, unless others that have do so too.
  std::vector<::tc::emulator::BlockBox> boxes;
  /// All launches, in order, but for their times.
  std::vector<CountedLaunch> launches;
  /// All that was allocated, in order: before the host function is called, its
  /// arguments.
  std::vector<std::pair<void *, uint64_t>> allocations;
  CountedStreams streams;
  size_t numArguments = 0; ///< how many of them these are
  /// What was compared with limits, by the number of the limit: each pair once.
  llvm::SetVector<std::pair<int64_t, int64_t>> compared;

  // What the functions do.
  struct Function {
    ::tc::emulator::Module *module;
    std::string name;
  };
  ::tc::emulator::Module *load(llvm::StringRef ptx);
  Function *find(::tc::emulator::Module *module, llvm::StringRef kernel);
  void launch(const Function &function, ::tc::emulator::Dim3 grid,
              ::tc::emulator::Dim3 block, uint32_t dynamicShared, void *stream,
              void **parameters);
  void release(void *address);

private:
  void fail(const std::string &message);
  std::optional<::tc::emulator::BlockBox> findBox(uint64_t blocks) const;
  LaunchArgument describe(llvm::ArrayRef<char> parameter) const;

  ::tc::emulator::LaunchOptions options;
  ::tc::emulator::Memory memory;
  std::vector<std::unique_ptr<::tc::emulator::Module>> modules;
  std::vector<std::unique_ptr<Function>> functions;
  std::string error;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_COUNTINGDEVICE_H
