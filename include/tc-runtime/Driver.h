//===- Driver.h - A CUDA driver opened at run time --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A table of the driver's calls, filled from a shared library: NVIDIA's
// libcuda.so.1 or the emulator. Nothing here is linked against a driver.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DRIVER_H
#define TC_RUNTIME_DRIVER_H

#include "tc-runtime/driver_api.h"

#include <optional>
#include <string>

namespace tc::runtime {

/// Which driver is asked for.
enum class DriverKind {
  Auto,     ///< Cuda where it has a device, else Emulator
  Cuda,     ///< NVIDIA's driver
  Emulator, ///< the CUDA device for CPUs
};

/// The kind named "auto", "cuda" or "emulator"; nothing for another name.
std::optional<DriverKind> findDriverKind(const std::string &name);

/// The calls of one driver. A call that is Optional in driver_api.h may be
/// null.
struct Driver {
#define TC_MEMBER(name, symbol, since, need, parameters)                       \
  CUresult(*symbol) parameters = nullptr;
  TC_DRIVER_CALLS(TC_MEMBER)
#undef TC_MEMBER

  /// The emulator's text on the last call that failed in this thread; null for
  /// NVIDIA's driver.
  const char *(*lastReport)() = nullptr;
  /// The library, as it was opened.
  std::string library;

  bool isEmulator() const { return lastReport != nullptr; }
  /// "call: CUDA_ERROR_X (number): meaning", followed by the emulator's report
  /// where there is one. `result` is what `call` has just returned in this
  /// thread.
  std::string describe(const char *call, CUresult result) const;
};

/// Opens a driver, initialises it and makes sure that it has a device. An empty
/// `library` means libcuda.so.1, or the emulator as found by
/// `emulatorCandidates`; for Auto, `library` names the emulator. The same
/// library gives the same table, which lives until the process ends. On failure
/// returns null, and `error` says what was expected and what was found.
const Driver *openDriver(DriverKind kind, const std::string &library,
                         std::string &error);

} // namespace tc::runtime

#endif // TC_RUNTIME_DRIVER_H
