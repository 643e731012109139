//===- Stream.cpp - Streams and events of the emulated driver -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All work is done when its call returns, so streams are names and waiting asks
// only whether a kernel has failed. Events take the time of the host's clock.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

/// The event behind a handle, or null and an error kept for the call.
static Event *findEvent(Call &call, CUevent handle) {
  Event *event = call ? call.state.events.find(handle) : nullptr;
  if (call && !event)
    call.fail(CUDA_ERROR_INVALID_HANDLE,
              "expected an event, got another handle or a destroyed event");
  return event;
}

/// What a call returns that found no event.
static CUresult noEvent(const Call &call) {
  return call ? CUDA_ERROR_INVALID_HANDLE : call.status();
}

static CUresult wait(const char *name, CUstream stream) {
  Call call(name, Needs::Driver);
  if (!call)
    return call.status();
  call.state.publish(/*always=*/false);
  return call.enter(stream);
}

/// A question about a stream, which has the answer as one of its members. The
/// default streams have none of their own.
template <typename T, typename Get>
static CUresult ask(const char *name, CUstream stream, T *place, Get get) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, place))
    return bad;
  if (CUresult bad = call.enter(stream))
    return bad;
  Stream *found = call.state.streams.find(stream);
  *place = get(found ? *found : Stream{call.handle});
  return CUDA_SUCCESS;
}

/// Calls the host, which may call the driver.
template <typename Function>
static CUresult callHost(const char *name, CUstream stream, bool isThere,
                         Function function) {
  Call call(name, Needs::Driver);
  if (!call)
    return call.status();
  if (!isThere)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected a function, got null");
  if (CUresult bad = call.enter(stream))
    return bad;
  call.unlock();
  function();
  return CUDA_SUCCESS;
}

static CUresult waitForEvent(const char *name, CUevent handle) {
  Call call(name, Needs::Driver);
  Event *event = findEvent(call, handle);
  return event ? call.checkHealth(event->context) : noEvent(call);
}

static CUresult createStream(const char *name, CUstream *stream, unsigned flags,
                             int priority) {
  Call call(name, Needs::Health);
  if (CUresult bad = checkPlace(call, stream))
    return bad;
  if (flags & ~CU_STREAM_NON_BLOCKING)
    return call.fail(CUDA_ERROR_INVALID_VALUE,
                     "expected stream flags 0 or 1, got " + llvm::Twine(flags));
  priority = std::clamp(priority, greatestPriority, 0);
  *stream = call.state.streams.add({call.handle, flags, priority});
  return CUDA_SUCCESS;
}

static CUresult elapsed(const char *name, float *milliseconds, CUevent start,
                        CUevent end) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, milliseconds))
    return bad;
  Event *first = findEvent(call, start);
  Event *last = first ? findEvent(call, end) : nullptr;
  if (!last)
    return noEvent(call);
  for (const Event *event : {first, last})
    if (!event->recorded || (event->flags & CU_EVENT_DISABLE_TIMING))
      return call.fail(CUDA_ERROR_INVALID_HANDLE,
                       "expected recorded events with timing, got one that was "
                       "not recorded or has timing disabled");
  *milliseconds =
      std::chrono::duration<float, std::milli>(last->time - first->time)
          .count();
  return CUDA_SUCCESS;
}

namespace tc::runtime {
extern "C" {

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return createStream("cuStreamCreate", stream, flags, /*priority=*/0);
}

CUresult cuStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                    int priority) {
  return createStream("cuStreamCreateWithPriority", stream, flags, priority);
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  Call call("cuStreamDestroy", Needs::Driver);
  if (!call || call.state.streams.erase(stream))
    return call.status();
  return call.fail(CUDA_ERROR_INVALID_HANDLE,
                   "expected a stream of cuStreamCreate, got another handle");
}

CUresult cuStreamSynchronize(CUstream stream) {
  return wait("cuStreamSynchronize", stream);
}

CUresult cuStreamQuery(CUstream stream) {
  return wait("cuStreamQuery", stream);
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  Call call("cuStreamWaitEvent", Needs::Driver);
  if (!findEvent(call, event))
    return noEvent(call);
  return call.enter(stream);
}

CUresult cuStreamGetPriority(CUstream stream, int *priority) {
  return ask("cuStreamGetPriority", stream, priority,
             [](const Stream &s) { return s.priority; });
}
CUresult cuStreamGetFlags(CUstream stream, unsigned *flags) {
  return ask("cuStreamGetFlags", stream, flags,
             [](const Stream &s) { return s.flags; });
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return ask("cuStreamGetCtx", stream, context,
             [](const Stream &s) { return s.context; });
}
CUresult cuStreamGetDevice(CUstream stream, CUdevice *device) {
  return ask("cuStreamGetDevice", stream, device,
             [](const Stream &) { return 0; });
}
CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  return ask("cuStreamGetId", stream, id, [&](const Stream &) {
    return reinterpret_cast<uintptr_t>(stream);
  });
}
/// Never: graphs are not there.
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return ask("cuStreamIsCapturing", stream, status,
             [](const Stream &) { return 0; });
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return answer(Call("cuThreadExchangeStreamCaptureMode", Needs::Driver), mode,
                0);
}

CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback,
                             void *data, unsigned) {
  return callHost("cuStreamAddCallback", stream, callback != nullptr,
                  [&] { callback(stream, CUDA_SUCCESS, data); });
}
CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return callHost("cuLaunchHostFunc", stream, function != nullptr,
                  [&] { function(data); });
}
CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr, size_t,
                                unsigned) {
  return wait("cuStreamAttachMemAsync", stream);
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

CUresult cuEventCreate(CUevent *event, unsigned flags) {
  Call call("cuEventCreate", Needs::Health);
  if (CUresult bad = checkPlace(call, event))
    return bad;
  Event made = {call.handle};
  made.flags = flags;
  *event = call.state.events.add(made);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event) {
  Call call("cuEventDestroy", Needs::Driver);
  if (!findEvent(call, event))
    return noEvent(call);
  call.state.events.erase(event);
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent handle, CUstream stream) {
  Call call("cuEventRecord", Needs::Driver);
  Event *event = findEvent(call, handle);
  if (!event)
    return noEvent(call);
  if (CUresult bad = call.enter(stream))
    return bad;
  event->recorded = true;
  event->time = std::chrono::steady_clock::now();
  return CUDA_SUCCESS;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned) {
  return cuEventRecord(event, stream);
}

CUresult cuEventSynchronize(CUevent event) {
  return waitForEvent("cuEventSynchronize", event);
}

CUresult cuEventQuery(CUevent event) {
  return waitForEvent("cuEventQuery", event);
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return elapsed("cuEventElapsedTime", milliseconds, start, end);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start,
                               CUevent end) {
  return elapsed("cuEventElapsedTime", milliseconds, start, end);
}
}
} // namespace tc::runtime
