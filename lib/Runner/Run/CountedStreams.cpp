//===- CountedStreams.cpp - Which counted launch waits for which ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/CountedStreams.h"

#include <algorithm>

using namespace mlir::tc;

size_t CountedStreams::add(size_t first, size_t second,
                           std::optional<size_t> launch) {
  if (!launch && first == second)
    return first;
  nodes.push_back({first, second, launch});
  return nodes.size() - 1;
}

void *CountedStreams::create() {
  return handles.emplace_back(std::make_unique<size_t>(host)).get();
}

void CountedStreams::wait(void *stream, void *event) {
  at(stream) = add(at(stream), at(event));
}

void CountedStreams::synchronize(void *handle) { host = add(host, at(handle)); }

void CountedStreams::launch(void *stream) {
  at(stream) = add(at(stream), host, numLaunches++);
}

double CountedStreams::getLongest(llvm::ArrayRef<double> seconds) const {
  std::vector<double> ends(nodes.size());
  for (size_t i = 1; i != nodes.size(); ++i) {
    const Node &node = nodes[i];
    ends[i] = std::max(ends[node.first], ends[node.second]) +
              (node.launch ? seconds[*node.launch] : 0);
  }
  return *std::max_element(ends.begin(), ends.end());
}
