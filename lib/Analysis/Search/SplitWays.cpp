//===- SplitWays.cpp - Ways to divide a sum into parts --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/SplitWays.h"

#include "tc/Analysis/Requests.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tc;

/// Results of a block that has much reuse; blocks for each multiprocessor.
static constexpr double kBlockResults = 8192;
static constexpr double kBlocksPerSm[] = {1, 2, 4, 8};
/// Points of a part, at least: less is not worth a second kernel.
static constexpr double kFewestPoints = 4096;
/// Iterators that have their turn to be divided first.
static constexpr size_t kMostFirst = 3;

int64_t mlir::tc::countParts(ArrayRef<int64_t> split) {
  return llvm::product_of(split);
}

/// Neighbours along `i` that a part has a multiple of: `bytes` together, of
/// inputs that lie densest along it.
static int64_t getUnit(const Workload &work, unsigned i, int64_t bytes) {
  int64_t unit = 1;
  for (const Access &input : work.inputs)
    if (input.getDistance(i) == 1)
      unit = std::max(unit, bytes / input.bytes);
  return work.extents[i] % unit == 0 ? unit : 1;
}

/// Numbers of parts that fill the machine so and so often, rising.
static SmallVector<int64_t> getWanted(const Workload &work,
                                      const Machine &machine) {
  double tiles = std::max(1.0, work.countResults() / kBlockResults);
  double most = work.countPoints() / work.countResults() *
                std::min(work.countResults(), kBlockResults) / kFewestPoints;
  SmallVector<int64_t> wanted;
  for (double each : kBlocksPerSm) {
    auto parts = int64_t(
        std::min(std::ceil(double(machine.smCount) * each / tiles), most));
    if (parts > 1 && !llvm::is_contained(wanted, parts))
      wanted.push_back(parts);
  }
  return wanted;
}

/// Contracted iterators that may be divided, the longest first; of equal ones
/// that along which inputs lie furthest apart.
static SmallVector<unsigned, 8> getDivided(const Workload &work) {
  SmallVector<unsigned, 8> order;
  for (unsigned i : work.getSums())
    if (work.mayReorder || order.empty())
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::pair(work.extents[a], work.getDensest(a)) >
           std::pair(work.extents[b], work.getDensest(b));
  });
  order.truncate(std::min(order.size(), kMostFirst));
  return order;
}

/// Ways to make exactly `wanted` parts, multiples of `bytes`: each iterator has
/// its turn to be divided first, by what divides it.
static void addEqualParts(const Workload &work, SmallVector<unsigned, 8> order,
                          int64_t wanted, int64_t bytes,
                          SmallVector<PerIterator> &ways) {
  for (size_t turn = 0; turn < order.size(); ++turn) {
    PerIterator parts(work.getNumIterators(), 1);
    int64_t left = wanted;
    for (unsigned i : order) {
      parts[i] = std::gcd(work.extents[i] / getUnit(work, i, bytes), left);
      left /= parts[i];
    }
    if (left == 1 && !llvm::is_contained(ways, parts))
      ways.push_back(parts);
    std::rotate(order.begin(), order.begin() + 1, order.end());
  }
}

SmallVector<PerIterator> mlir::tc::enumerateSplits(const Workload &work,
                                                   const Machine &machine) {
  SmallVector<int64_t> wanted = getWanted(work, machine);
  SmallVector<unsigned, 8> order = getDivided(work);
  SmallVector<PerIterator> ways;
  if (wanted.empty() || order.empty())
    return ways;
  unsigned first = order.front();
  auto divideFirst = [&](int64_t parts) {
    ways.emplace_back(work.getNumIterators(), 1);
    ways.back()[first] = parts;
  };
  if (work.dynamic[first]) {
    llvm::for_each(wanted, divideFirst);
    return ways;
  }
  for (int64_t parts = 2; parts <= wanted.back(); ++parts) {
    bool isWanted = llvm::is_contained(wanted, parts);
    int64_t most = ways.empty() ? 1 : countParts(ways.back());
    SmallVector<PerIterator> same;
    for (int64_t bytes : {kSectorBytes, kSectorBytes / 2})
      addEqualParts(work, order, parts, bytes, same);
    // Iterators that are left whole can have any steps.
    llvm::stable_sort(same, [](const PerIterator &a, const PerIterator &b) {
      return llvm::count(a, 1) > llvm::count(b, 1);
    });
    llvm::append_range(ways, same);
    // Where there are far too few, something is left over.
    if (isWanted && most * 2 <= parts && parts <= work.extents[first] &&
        (ways.empty() || countParts(ways.back()) != parts))
      divideFirst(parts);
  }
  return ways;
}
