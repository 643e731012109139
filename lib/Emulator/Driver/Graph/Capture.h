//===- Capture.h - Captures of streams --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call that gives a stream work, or waits, has to know of captures (CUDA
// Driver API, stream management, and the programming guide, stream capture).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_DRIVER_GRAPH_CAPTURE_H
#define TC_LIB_EMULATOR_DRIVER_GRAPH_CAPTURE_H

#include "Device.h"

namespace tc::emulator::driver {

/// Where work of the stream that was entered goes: into a capture, or, null, to
/// the device. Fails where an error has ended the capture, and where the legacy
/// stream would wait for a captured one, which ends that capture.
CUresult findCapture(Call &call, Capture *&capture);

/// Adds a node after what the stream that was entered has done in the capture.
CUresult captureStep(Call &call, Capture &capture, Step step);
/// The same of a launch. It may begin before a kernel has ended that is all it
/// comes after and was captured in the stream just before, if it
/// `mayBeginEarly`.
CUresult captureKernel(Call &call, Capture &capture, KernelStep step,
                       bool mayBeginEarly);

/// The same of memory in stream order.
CUresult captureAllocation(Call &call, Capture &capture, size_t bytes,
                           CUdeviceptr *address);
CUresult captureFree(Call &call, Capture &capture, CUdeviceptr address);

/// An event is recorded, or waited for, in the stream that was entered, which
/// the capture of the event may begin to capture. `isCaptured`: the device has
/// nothing to do.
CUresult captureRecord(Call &call, CUevent handle, Event &event, unsigned flags,
                       bool &isCaptured);
CUresult captureWait(Call &call, CUevent handle, const Event &event,
                     unsigned flags, bool &isCaptured);

/// Fails where a capture forbids this thread calls that may wait for work, and
/// ends the capture.
CUresult checkMayWait(Call &call);
/// The same of a wait for the stream that was entered, which fails, too, where
/// the stream is captured; or for an event.
CUresult checkNotCaptured(Call &call);
CUresult checkNotCaptured(Call &call, const Event &event);

/// A stream is destroyed: a capture that it is in can only fail.
void endCaptureOf(Call &call, CUstream stream);

} // namespace tc::emulator::driver

#endif // TC_LIB_EMULATOR_DRIVER_GRAPH_CAPTURE_H
