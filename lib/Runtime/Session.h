//===- Session.h - A device held open ---------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the C launcher and the mgpu library share: a driver with the primary
// context of one device, and that context made current for a while.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_SESSION_H
#define TC_LIB_RUNTIME_SESSION_H

#include "tc-runtime/Driver.h"

namespace tc::runtime {

/// A driver, one of its devices, and the device's primary context, retained.
struct Session {
  const Driver *driver = nullptr;
  CUdevice device = 0;
  CUcontext context = nullptr;

  /// Opens the driver of this kind and library and retains the context of
  /// device `ordinal`. On failure returns false, and `error` says why.
  bool open(DriverKind kind, const std::string &library, int ordinal,
            std::string &error);
  /// Retains the context of device `ordinal` of `driver`, which is open.
  bool retain(int ordinal, std::string &error);
};

/// Has packaged kernels use this driver from now on.
void useDriver(const Driver &driver);

/// What was asked for by name: `kind`, else the environment's TC_DRIVER, else
/// Auto. On an unknown name returns nothing, and `error` says so.
std::optional<DriverKind> chooseDriverKind(const char *kind,
                                           std::string &error);

/// Makes a context current in this thread until it goes.
class CurrentContext {
public:
  CurrentContext(const Driver &driver, CUcontext context)
      : driver(driver), pushed(driver.cuCtxPushCurrent_v2(context)) {}
  explicit CurrentContext(const Session &session)
      : CurrentContext(*session.driver, session.context) {}
  ~CurrentContext() {
    CUcontext popped = nullptr;
    if (pushed == CUDA_SUCCESS)
      driver.cuCtxPopCurrent_v2(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  /// Whether the context is current.
  CUresult status() const { return pushed; }

private:
  const Driver &driver;
  CUresult pushed;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_SESSION_H
