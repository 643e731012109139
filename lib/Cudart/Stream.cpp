//===- Stream.cpp - Streams and events of the runtime ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Their handles are those of the driver.
//
//===----------------------------------------------------------------------===//

#include "Cudart.h"

using namespace tc::cudart;

extern "C" {

Error cudaStreamCreateWithFlags(CUstream *stream, unsigned flags) {
  return call([=](const Driver &d) { return d.cuStreamCreate(stream, flags); });
}

Error cudaStreamCreate(CUstream *stream) {
  return cudaStreamCreateWithFlags(stream, 0);
}

Error cudaStreamCreateWithPriority(CUstream *stream, unsigned flags,
                                   int priority) {
  return call([=](const Driver &d) {
    return d.cuStreamCreateWithPriority(stream, flags, priority);
  });
}

Error cudaStreamDestroy(CUstream stream) {
  return call([=](const Driver &d) { return d.cuStreamDestroy_v2(stream); });
}

Error cudaStreamSynchronize(CUstream stream) {
  return call([=](const Driver &d) { return d.cuStreamSynchronize(stream); });
}

Error cudaStreamQuery(CUstream stream) {
  return call([=](const Driver &d) { return d.cuStreamQuery(stream); });
}

Error cudaStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuStreamWaitEvent(stream, event, flags);
  });
}

Error cudaStreamGetFlags(CUstream stream, unsigned *flags) {
  return call(
      [=](const Driver &d) { return d.cuStreamGetFlags(stream, flags); });
}

Error cudaStreamGetPriority(CUstream stream, int *priority) {
  return call(
      [=](const Driver &d) { return d.cuStreamGetPriority(stream, priority); });
}

Error cudaStreamAddCallback(CUstream stream,
                            void (*callback)(CUstream, Error, void *),
                            void *data, unsigned flags) {
  return call([=](const Driver &d) {
    // CUresult and cudaError_t are both an int with the same values.
    return d.cuStreamAddCallback(
        stream, reinterpret_cast<CUstreamCallback>(callback), data, flags);
  });
}

Error cudaLaunchHostFunc(CUstream stream, CUhostFn function, void *data) {
  return call([=](const Driver &d) {
    return d.cuLaunchHostFunc(stream, function, data);
  });
}

Error cudaStreamSetAttribute(CUstream stream, int id,
                             const CUlaunchAttributeValue *value) {
  return call([=](const Driver &d) {
    return d.cuStreamSetAttribute(stream, id, value);
  });
}

Error cudaStreamGetAttribute(CUstream stream, int id,
                             CUlaunchAttributeValue *value) {
  return call([=](const Driver &d) {
    return d.cuStreamGetAttribute(stream, id, value);
  });
}

Error cudaStreamCopyAttributes(CUstream to, CUstream from) {
  return call(
      [=](const Driver &d) { return d.cuStreamCopyAttributes(to, from); });
}

Error cudaStreamAttachMemAsync(CUstream, void *, size_t, unsigned) { return 0; }

Error cudaEventCreateWithFlags(CUevent *event, unsigned flags) {
  return call([=](const Driver &d) { return d.cuEventCreate(event, flags); });
}

/// C++ programs have an overload without flags, which calls this one.
Error cudaEventCreate(CUevent *event) {
  return cudaEventCreateWithFlags(event, 0);
}

Error cudaEventDestroy(CUevent event) {
  return call([=](const Driver &d) { return d.cuEventDestroy_v2(event); });
}

Error cudaEventRecordWithFlags(CUevent event, CUstream stream, unsigned flags) {
  return call([=](const Driver &d) {
    return d.cuEventRecordWithFlags(event, stream, flags);
  });
}

Error cudaEventRecord(CUevent event, CUstream stream) {
  return cudaEventRecordWithFlags(event, stream, 0);
}

Error cudaEventSynchronize(CUevent event) {
  return call([=](const Driver &d) { return d.cuEventSynchronize(event); });
}

Error cudaEventQuery(CUevent event) {
  return call([=](const Driver &d) { return d.cuEventQuery(event); });
}

Error cudaEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return call([=](const Driver &d) {
    return d.cuEventElapsedTime(milliseconds, start, end);
  });
}
}
