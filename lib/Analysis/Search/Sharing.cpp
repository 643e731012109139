//===- Sharing.cpp - Threads that gather a result together ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/Sharing.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Fewer terms than this are for one thread, and a thread that shares has some.
static constexpr int64_t kShortSum = 32, kFewestTerms = 4;
static constexpr int64_t kMostSharing = 512;

/// The iterator along which `input` lies densest.
static std::optional<unsigned> findDensest(const Workload &work,
                                           const Access &input) {
  std::optional<unsigned> densest;
  for (unsigned i = 0, e = work.getNumIterators(); i < e; ++i)
    if (input.variesWith(i) && work.extents[i] > 1 &&
        (!densest || input.getDistance(i) < input.getDistance(*densest)))
      densest = i;
  return densest;
}

std::optional<unsigned> mlir::tc::findLongestSum(const Workload &work) {
  std::optional<unsigned> longest;
  for (unsigned i : work.getSums())
    if (!longest || work.extents[i] > work.extents[*longest])
      longest = i;
  return longest;
}

std::optional<Sharing> mlir::tc::getSharing(const Workload &work,
                                            int64_t threads) {
  std::optional<unsigned> longest = findLongestSum(work);
  if (!longest || !work.mayReorder || work.inputs.empty())
    return std::nullopt;
  // Most of what is read is of the largest input: lanes walk along it.
  const Access *largest =
      llvm::max_element(work.inputs, [&](const Access &a, const Access &b) {
        return work.countElements(a) < work.countElements(b);
      });
  std::optional<unsigned> densest = findDensest(work, *largest);
  if (densest && work.contracted[*densest] &&
      work.extents[*densest] >= kShortSum)
    return Sharing{*densest, threads, /*isFastest=*/true};
  return Sharing{*longest, threads, /*isFastest=*/false};
}

SmallVector<Sharing> mlir::tc::enumerateSharing(const Workload &work) {
  SmallVector<Sharing> found;
  for (int64_t threads = 4; threads <= kMostSharing; threads *= 2) {
    std::optional<Sharing> sharing = getSharing(work, threads);
    if (!sharing || work.extents[sharing->iterator] <
                        std::max(kShortSum, threads * kFewestTerms))
      break;
    found.push_back(*sharing);
  }
  return found;
}
