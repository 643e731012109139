//===- MgpuState.h - Driver and error of the mgpu library -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mgpu* functions return no status, so the library keeps the first error
// and does nothing from then on.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_MGPU_MGPUSTATE_H
#define TC_LIB_RUNTIME_MGPU_MGPUSTATE_H

#include "Session.h"

namespace tc::runtime::mgpu {

/// Chooses the device for this thread's calls.
void setDevice(int ordinal);

/// The session of this thread's device; opens the driver on first need. Returns
/// null where that fails, which is an error, and after any earlier error unless
/// `evenAfterError`.
const Session *findSession(bool evenAfterError);

/// Keeps `message` if it is the first error.
void report(const std::string &message);

/// Runs `body`, which returns a CUresult, with the device's context current,
/// unless there was an error before. A failure of it is reported as one of
/// `call`. Returns whether it ran and succeeded.
template <typename Body>
bool run(const char *call, Body body, bool evenAfterError = false) {
  const Session *session = findSession(evenAfterError);
  if (!session)
    return false;
  CurrentContext current(*session);
  CUresult result = current.status();
  if (result == CUDA_SUCCESS)
    result = body(*session->driver);
  if (result != CUDA_SUCCESS)
    report(session->driver->describe(call, result));
  return result == CUDA_SUCCESS;
}

/// Makes one call of the driver in this way.
template <typename... Parameters, typename... Values>
bool call(const char *name, CUresult (*Driver::*function)(Parameters...),
          Values... values) {
  return run(name, [&](const Driver &driver) {
    return (driver.*function)(values...);
  });
}

/// As `call`, for calls that only give something back: these happen after an
/// error too.
template <typename... Parameters, typename... Values>
void release(const char *name, CUresult (*Driver::*function)(Parameters...),
             Values... values) {
  auto body = [&](const Driver &driver) {
    return (driver.*function)(values...);
  };
  run(name, body, /*evenAfterError=*/true);
}

/// Counts a launch; false where it is to be left out.
bool startLaunch();

/// Zeroed memory of the host, for host-shared allocations after an error.
void *allocateSubstitute(size_t bytes);
/// Frees such memory; false for any other address.
bool freeSubstitute(void *address);

/// A stream of this thread's device that nobody has any more, or null. Host
/// code makes one for each fork.
CUstream takeStream();
/// Keeps count of the streams that are in use, as tokens do not say what they
/// are.
void addStream(CUstream stream);
/// Keeps it for others; false if it is to be destroyed.
bool giveBackStream(CUstream stream);
bool isStream(const void *token);

} // namespace tc::runtime::mgpu

#endif // TC_LIB_RUNTIME_MGPU_MGPUSTATE_H
