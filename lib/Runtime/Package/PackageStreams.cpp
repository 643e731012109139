//===- PackageStreams.cpp - Streams of a packaged call --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/PackageStreams.h"

#include <algorithm>

using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// The pool
//===----------------------------------------------------------------------===//

namespace {
/// Which capture a stream is part of.
struct Capture {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  uint64_t id = 0;

  bool isNone() const { return status == CU_STREAM_CAPTURE_STATUS_NONE; }
};
} // namespace

/// Nothing is captured by a driver that cannot tell, nor on a default stream
/// that it does not tell of.
static Capture findCapture(const Driver &driver, CUstream stream) {
  Capture capture;
  if (!driver.cuStreamGetCaptureInfo ||
      driver.cuStreamGetCaptureInfo(stream, &capture.status, &capture.id) !=
          CUDA_SUCCESS)
    return {};
  return capture;
}

CUresult StreamPool::takeStream(const Driver &driver, CUstream caller,
                                CUstream &stream) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    Capture own = streams.empty() ? Capture() : findCapture(driver, caller);
    auto isFree = [&](CUstream known) {
      Capture other = findCapture(driver, known);
      return other.isNone() || (!own.isNone() && other.id == own.id);
    };
    auto found = std::find_if(streams.begin(), streams.end(), isFree);
    if (found != streams.end()) {
      stream = *found;
      streams.erase(found);
      return CUDA_SUCCESS;
    }
  }
  return driver.cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING);
}

CUresult StreamPool::takeEvent(const Driver &driver, CUevent &event) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (!events.empty()) {
      event = events.back();
      events.pop_back();
      return CUDA_SUCCESS;
    }
  }
  return driver.cuEventCreate(&event, CU_EVENT_DISABLE_TIMING);
}

void StreamPool::giveBack(const std::vector<CUstream> &usedStreams,
                          const std::vector<CUevent> &usedEvents) {
  auto isThere = [](const void *one) { return one != nullptr; };
  std::lock_guard<std::mutex> lock(mutex);
  std::copy_if(usedStreams.begin(), usedStreams.end(),
               std::back_inserter(streams), isThere);
  std::copy_if(usedEvents.begin(), usedEvents.end(), std::back_inserter(events),
               isThere);
}

//===----------------------------------------------------------------------===//
// A call
//===----------------------------------------------------------------------===//

CallStreams::~CallStreams() {
  if (!streams.empty() || !events.empty())
    pool.giveBack(streams, events);
}

CUresult CallStreams::find(int64_t number, CUstream &stream) {
  stream = caller;
  if (number == 0)
    return CUDA_SUCCESS;
  auto index = static_cast<size_t>(number) - 1;
  if (index >= streams.size())
    streams.resize(index + 1);
  CUresult result = CUDA_SUCCESS;
  if (!streams[index])
    result = pool.takeStream(driver, caller, streams[index]);
  stream = streams[index];
  return result;
}

CUresult CallStreams::findEvent(int64_t number, CUevent &event) {
  auto index = static_cast<size_t>(number);
  if (index >= events.size())
    events.resize(index + 1);
  CUresult result = CUDA_SUCCESS;
  if (!events[index])
    result = pool.takeEvent(driver, events[index]);
  event = events[index];
  return result;
}

CUresult CallStreams::record(int64_t number, int64_t event) {
  CUstream stream = nullptr;
  CUevent found = nullptr;
  CUresult result = find(number, stream);
  if (result == CUDA_SUCCESS)
    result = findEvent(event, found);
  return result == CUDA_SUCCESS ? driver.cuEventRecord(found, stream) : result;
}

CUresult CallStreams::wait(int64_t number, int64_t event) {
  CUstream stream = nullptr;
  CUevent found = nullptr;
  CUresult result = find(number, stream);
  if (result == CUDA_SUCCESS)
    result = findEvent(event, found);
  return result == CUDA_SUCCESS
             ? driver.cuStreamWaitEvent(stream, found, /*flags=*/0)
             : result;
}

void CallStreams::join() {
  for (size_t i = 0; i != streams.size(); ++i)
    if (streams[i] && record(static_cast<int64_t>(i) + 1, 0) == CUDA_SUCCESS)
      wait(0, 0);
}
