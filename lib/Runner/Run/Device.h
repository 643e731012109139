//===- Device.h - Device memory through the mgpu library --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Opens the mgpu library, which also serves the compiled host code, and hands
// out device memory of the driver it has chosen.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_DEVICE_H
#define TC_LIB_RUNNER_RUN_DEVICE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir::tc {

class Device {
public:
  /// Opens `kind` (auto, cuda, emulator) through the mgpu library at `library`,
  /// or through the one beside this program when that is empty.
  static llvm::Expected<std::unique_ptr<Device>>
  open(const std::string &kind, const std::string &library);
  /// Frees all memory.
  ~Device();

  /// The path of the mgpu library.
  const std::string &library() const { return path; }
  /// "emulator" or "cuda".
  std::string kind() const;

  /// Memory that holds a copy of `bytes`.
  llvm::Expected<void *> allocate(const std::vector<char> &bytes);
  /// Copies from the device, after all work is done.
  llvm::Error copyOut(void *address, std::vector<char> &bytes);
  /// Leaves out the launch of that number, counted from now on from 0; none
  /// where it is below 0. Returns how many there were since the last call.
  int64_t leaveOutLaunch(int64_t number);
  /// Why no library took the last product; empty if one did, or none was asked.
  std::string remark() const;
  /// The first error since the last check, if there was one.
  llvm::Error check();

private:
  struct Functions;
  Device();
  llvm::Error copy(void *to, void *from, size_t bytes);

  std::unique_ptr<Functions> functions;
  std::string path;
  std::vector<void *> allocations;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_DEVICE_H
