//===- LauncherState.h - Handles of the C launcher --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stands behind the opaque pointers of tc_runtime.h, and how its calls
// report.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_LAUNCHERSTATE_H
#define TC_LIB_RUNTIME_LAUNCHERSTATE_H

#include "Session.h"
#include "Status.h"
#include "tc-runtime/tc_runtime.h"

#include <memory>
#include <vector>

struct tcDevice {
  tc::runtime::Session session;
};

struct tcFunction {
  tcDevice *device;
  tc::runtime::CUfunction handle;
  std::string name;
};

struct tcModule {
  tcDevice *device;
  tc::runtime::CUmodule handle;
  std::vector<std::unique_ptr<tcFunction>> functions;
};

struct tcEvent {
  tcDevice *device;
  tc::runtime::CUevent handle;
};

namespace tc::runtime {

/// Runs `body`, which returns a status, with the device's context current.
template <typename Body>
int withDevice(tcDevice *device, const char *caller, Body body) {
  if (!device)
    return fail(TC_INVALID_ARGUMENT,
                std::string(caller) + ": expected a handle, got null");
  const Driver &driver = *device->session.driver;
  CurrentContext current(device->session);
  if (current.status() != CUDA_SUCCESS)
    return check(driver, "cuCtxPushCurrent", current.status());
  return body(driver);
}

/// Makes one call of the driver in this way. `values` are computed before the
/// device is looked at.
template <typename... Parameters, typename... Values>
int callDriver(tcDevice *device, const char *caller, const char *name,
               CUresult (*Driver::*function)(Parameters...), Values... values) {
  return withDevice(device, caller, [&](const Driver &driver) {
    return check(driver, name, (driver.*function)(values...));
  });
}

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_LAUNCHERSTATE_H
