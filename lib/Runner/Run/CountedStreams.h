//===- CountedStreams.h - Which counted launch waits for which --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Streams and events of host code whose kernels are counted, not timed: what is
// known of each launch is which ones it comes after.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_COUNTEDSTREAMS_H
#define TC_LIB_RUNNER_RUN_COUNTEDSTREAMS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <optional>
#include <vector>

namespace mlir::tc {

class CountedStreams {
public:
  /// A stream or an event, which comes after what the host has waited for.
  void *create();
  void record(void *event, void *stream) { at(event) = at(stream); }
  /// What `stream` is given later comes after the event, or another stream.
  void wait(void *stream, void *event);
  /// The host waits for a stream or an event.
  void synchronize(void *handle);
  /// The next launch, by number, on `stream`.
  void launch(void *stream);

  /// Seconds along the longest chain of launches, which take so long.
  double getLongest(llvm::ArrayRef<double> seconds) const;

private:
  /// A launch, or something that waits, after two others.
  struct Node {
    size_t first, second;
    std::optional<size_t> launch;
  };

  size_t add(size_t first, size_t second,
             std::optional<size_t> launch = std::nullopt);
  size_t &at(void *handle) {
    return handle ? *static_cast<size_t *>(handle) : host;
  }

  std::vector<Node> nodes{{0, 0, std::nullopt}}; ///< the first: the beginning
  std::vector<std::unique_ptr<size_t>> handles;  ///< each with its last node
  size_t host = 0, numLaunches = 0;
};

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_COUNTEDSTREAMS_H
