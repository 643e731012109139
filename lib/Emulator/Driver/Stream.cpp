//===- Stream.cpp - Streams and events of the emulated driver -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams order what has to wait (Queue.h). Events take the time of the host's
// clock when the work before them is done.
//
//===----------------------------------------------------------------------===//

#include "Graph/Capture.h"

#include <algorithm>

using namespace tc::emulator;
using namespace tc::emulator::driver;

static CUresult waitForStream(const char *name, CUstream stream) {
  Call call(name, stream);
  if (!call)
    return call.status();
  if (CUresult bad = checkNotCaptured(call))
    return bad;
  CUresult result = call.waitForStream();
  call.state.publish(/*always=*/false);
  return result;
}

/// What a question for the end of work returns.
static CUresult answerEnd(const Call &call, bool isDone, CUcontext context) {
  CUresult fault = call.checkHealth(context);
  return fault || isDone ? fault : CUDA_ERROR_NOT_READY;
}

/// A question about a stream, which has the answer as one of its members. The
/// default streams have none of their own.
template <typename T, typename Get>
static CUresult ask(const char *name, CUstream stream, T *place, Get get) {
  Call call(name, stream);
  if (CUresult bad = checkPlace(call, place))
    return bad;
  Stream *found = call.state.streams.find(stream);
  *place = get(found ? *found : Stream{call.handle});
  return CUDA_SUCCESS;
}

/// Enters the stream of a call that gives it a function of the host.
static CUresult checkFunction(Call &call, bool isThere, CUstream stream) {
  if (!call)
    return call.status();
  if (!isThere)
    return call.fail(CUDA_ERROR_INVALID_VALUE, "expected a function, got null");
  return call.enter(stream);
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
  call.state.races.begin();
  *stream = call.state.streams.add({call.handle, flags, priority});
  return CUDA_SUCCESS;
}

static CUresult elapsed(const char *name, float *milliseconds, CUevent start,
                        CUevent end) {
  Call call(name, Needs::Driver);
  if (CUresult bad = checkPlace(call, milliseconds))
    return bad;
  Event *first = call.find(&State::events, start);
  Event *last = first ? call.find(&State::events, end) : nullptr;
  if (!last)
    return call.status();
  for (const Event *event : {first, last})
    if (CUresult bad = checkNotCaptured(call, *event))
      return bad;
  for (const Event *event : {first, last})
    if (!event->ticket || (event->flags & CU_EVENT_DISABLE_TIMING))
      return call.fail(CUDA_ERROR_INVALID_HANDLE,
                       "expected recorded events with timing, got one that was "
                       "not recorded or has timing disabled");
  for (const Event *event : {first, last})
    if (call.state.queue.isPending(event->ticket))
      return CUDA_ERROR_NOT_READY;
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
  if (!call)
    return call.status();
  auto &attributes = call.state.streamAttributes;
  attributes.erase(attributes.lower_bound({stream, 0}),
                   attributes.upper_bound({stream, INT_MAX}));
  endCaptureOf(call, stream);
  if (call.state.streams.erase(stream))
    return call.status();
  return call.fail(CUDA_ERROR_INVALID_HANDLE,
                   "expected a stream of cuStreamCreate, got another handle");
}

CUresult cuStreamSynchronize(CUstream stream) {
  return waitForStream("cuStreamSynchronize", stream);
}

CUresult cuStreamQuery(CUstream stream) {
  Call call("cuStreamQuery", stream);
  if (!call)
    return call.status();
  if (CUresult bad = checkNotCaptured(call))
    return bad;
  call.state.publish(/*always=*/false);
  return answerEnd(call, call.isIdle(), call.handle);
}

/// Work of the stream from now on comes after the event as it was recorded
/// last.
CUresult cuStreamWaitEvent(CUstream stream, CUevent handle, unsigned flags) {
  Call call("cuStreamWaitEvent", Needs::Driver);
  Event *event = call.find(&State::events, handle);
  if (!event)
    return call.status();
  if (CUresult bad = call.enter(stream))
    return bad;
  bool isCaptured = false;
  if (CUresult bad = captureWait(call, handle, *event, flags, isCaptured))
    return bad;
  if (!isCaptured)
    call.submit([](const Turn &) { return true; }, {event->ticket});
  return CUDA_SUCCESS;
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
/// It may call the driver, and is called after a fault, too.
CUresult cuStreamAddCallback(CUstream stream, CUstreamCallback callback,
                             void *data, unsigned) {
  Call call("cuStreamAddCallback", Needs::Driver);
  if (CUresult bad = checkFunction(call, callback != nullptr, stream))
    return bad;
  if (CUresult bad = checkNotCaptured(call))
    return bad;
  call.submit([=](const Turn &turn) {
    turn.lock.unlock();
    callback(stream, turn.fault, data);
    turn.lock.lock();
    return true;
  });
  return CUDA_SUCCESS;
}

CUresult cuLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  Call call("cuLaunchHostFunc", Needs::Driver);
  if (CUresult bad = checkFunction(call, function != nullptr, stream))
    return bad;
  Capture *capture = nullptr;
  if (CUresult bad = findCapture(call, capture))
    return bad;
  HostStep step{{function, data}};
  if (capture)
    return captureStep(call, *capture, step);
  call.submit(makeWork(step, call.handle, /*callers=*/{}));
  return CUDA_SUCCESS;
}

CUresult cuStreamAttachMemAsync(CUstream stream, CUdeviceptr, size_t,
                                unsigned) {
  return Call("cuStreamAttachMemAsync", stream).status();
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
  if (call.find(&State::events, event))
    call.state.events.erase(event);
  return call.status();
}

CUresult cuEventRecordWithFlags(CUevent handle, CUstream stream,
                                unsigned flags) {
  Call call("cuEventRecord", Needs::Driver);
  Event *event = call.find(&State::events, handle);
  if (!event)
    return call.status();
  if (CUresult bad = call.enter(stream))
    return bad;
  bool isCaptured = false;
  if (CUresult bad = captureRecord(call, handle, *event, flags, isCaptured))
    return bad;
  if (isCaptured)
    return CUDA_SUCCESS;
  uint64_t ticket =
      call.submit(makeWork(RecordStep{handle}, call.handle, /*callers=*/{}),
                  {{}, {}, {}, Dependencies::Record});
  if (Event *recorded = call.state.events.find(handle))
    recorded->ticket = ticket;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, /*flags=*/0);
}

CUresult cuEventSynchronize(CUevent handle) {
  Call call("cuEventSynchronize", Needs::Driver);
  Event *event = call.find(&State::events, handle);
  if (!event)
    return call.status();
  if (CUresult bad = checkNotCaptured(call, *event))
    return bad;
  return call.wait(event->ticket, event->context);
}

CUresult cuEventQuery(CUevent handle) {
  Call call("cuEventQuery", Needs::Driver);
  Event *event = call.find(&State::events, handle);
  if (!event)
    return call.status();
  if (CUresult bad = checkNotCaptured(call, *event))
    return bad;
  CUcontext context = event->context;
  return answerEnd(call, call.isDone(event->ticket), context);
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
