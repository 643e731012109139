//===- Independence.cpp - Are parallel iterations independent? ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Steps/Independence.h"

#include "Memory/Memory.h"

#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace llvm;

namespace mlir::tc::reference {

void Independence::enter(Operation *loop) {
  uint32_t running = entered.empty() ? 0 : entered.back();
  loops.resize(std::max(lastLoop, running) + 1); // the others have ended
  entered.push_back(loops.size());
  loops.push_back({loop, 0});
  outside.push_back(current);
}

/// Most iterations read only what another one had read before. Behind the last
/// one that a record has there are only those that contain the current one, and
/// others that have ended.
void Independence::forgetIterations() {
  size_t kept = std::max(lastRecorded, outside.back()) + size_t(1);
  if (kept >= iterations.size())
    return;
  indices.resize(iterations[kept].firstIndex);
  iterations.resize(kept);
}

Error Independence::start(ArrayRef<int64_t> index) {
  forgetIterations();
  size_t count = iterations.size();
  if (count > std::numeric_limits<Number>::max() ||
      (count == iterations.capacity() &&
       !canAllocate(2 * count *
                    (sizeof(Iteration) + index.size() * sizeof(int64_t)))))
    return createStringError(
        "expected the records of accesses to fit into memory, got " +
        Twine(count) + " iterations");
  Number parent = outside.back();
  iterations.push_back(
      {parent, entered.back(), iterations[parent].depth + 1, indices.size()});
  indices.insert(indices.end(), index.begin(), index.end());
  loops[entered.back()].rank = index.size();
  current = count;
  return Error::success();
}

void Independence::leave() {
  current = outside.pop_back_val();
  entered.pop_back();
}

std::pair<Independence::Number, Independence::Number>
Independence::findConcurrent(Number a, Number b) const {
  while (iterations[a].depth > iterations[b].depth)
    a = iterations[a].parent;
  while (iterations[b].depth > iterations[a].depth)
    b = iterations[b].parent;
  while (a != b && iterations[a].parent != iterations[b].parent) {
    a = iterations[a].parent;
    b = iterations[b].parent;
  }
  if (a == b || iterations[a].loop != iterations[b].loop)
    return {0, 0}; // one contains the other, or loops one after the other
  return {a, b};
}

/// As "iteration (1, 2)".
std::string Independence::nameOf(Number iteration) const {
  const Iteration &it = iterations[iteration];
  std::string text = "iteration (";
  for (unsigned dim = 0; dim != loops[it.loop].rank; ++dim)
    text += (dim ? ", " : "") + std::to_string(indices[it.firstIndex + dim]);
  return text + ")";
}

std::string Independence::describe(Number first, StringRef firstDid,
                                   Number second, StringRef secondDoes) const {
  auto [a, b] = findConcurrent(first, second);
  std::string text;
  raw_string_ostream stream(text);
  Operation *loop = loops[iterations[a].loop].op;
  stream << "expected the iterations of the '" << loop->getName() << "' at "
         << loop->getLoc() << " to be independent, got an element that "
         << nameOf(a) << " " << firstDid << " and " << nameOf(b) << " "
         << secondDoes;
  return text;
}

std::string Independence::record(Storage &storage, int64_t place,
                                 Access access) {
  if (storage.accesses.empty())
    if (Error error = storage.addAccesses())
      return toString(std::move(error));
  AccessRecord &last = storage.accesses[place];
  static constexpr StringRef does[] = {"reads", "writes", "updates atomically"};
  if (areConcurrent(last.writer, current))
    return describe(last.writer, does[write], current, does[access]);
  if (access != read && areConcurrent(last.reader, current))
    return describe(last.reader, does[read], current, does[access]);
  if (access != update && areConcurrent(last.updater, current))
    return describe(last.updater, does[update], current, does[access]);
  Number &own = access == read    ? last.reader
                : access == write ? last.writer
                                  : last.updater;
  if (access == write || !areConcurrent(own, current)) {
    own = current;
    lastRecorded = std::max(lastRecorded, current);
    lastLoop = loops.size() - 1;
  }
  return {};
}

} // namespace mlir::tc::reference
