//===- PackageStreams.h - Streams of a packaged call ----------- -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels of a call that need not wait for each other run on streams that a
// pool lends, forked from the caller's by an event and joined to it by another.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_PACKAGE_PACKAGESTREAMS_H
#define TC_LIB_RUNTIME_PACKAGE_PACKAGESTREAMS_H

#include "tc-runtime/Driver.h"

#include <mutex>
#include <vector>

namespace tc::runtime {

/// The streams and events of one context that no call has. Any number of
/// threads may ask. They live as long as the context.
class StreamPool {
public:
  /// A stream of no capture but the caller's.
  CUresult takeStream(const Driver &driver, CUstream caller, CUstream &stream);
  CUresult takeEvent(const Driver &driver, CUevent &event);
  /// Streams may still be busy: whoever takes them comes after.
  void giveBack(const std::vector<CUstream> &usedStreams,
                const std::vector<CUevent> &usedEvents);

private:
  std::mutex mutex;
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
};

/// Those that one call has, by number: 0 is the caller's stream.
class CallStreams {
public:
  CallStreams(const Driver &driver, StreamPool &pool, CUstream caller)
      : driver(driver), pool(pool), caller(caller) {}
  CallStreams(const CallStreams &) = delete;
  ~CallStreams();

  CUresult find(int64_t number, CUstream &stream);
  /// The event stands for all that the stream has been given so far.
  CUresult record(int64_t number, int64_t event);
  CUresult wait(int64_t number, int64_t event);
  /// Has the caller's stream wait for all others, after a failure.
  void join();

private:
  CUresult findEvent(int64_t number, CUevent &event);

  const Driver &driver;
  StreamPool &pool;
  CUstream caller;
  std::vector<CUstream> streams;
  std::vector<CUevent> events;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_PACKAGE_PACKAGESTREAMS_H
