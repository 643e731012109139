//===- CopyTeam.cpp - Which threads copy a tile ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/CopyTeam.h"

#include "tc/Algebra/Digits.h"
#include "tc/Target/Limits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir::tc;

/// The warps of a regular team may copy this many times for each time that
/// those of all threads do, in eighths.
static constexpr int64_t kMostEighths = 9;
/// Rows are split into parts of as many bytes at least: with less of a line in
/// each a warp would ask for more lines.
static constexpr int64_t kLeastPart = 96;

int64_t CopyTeam::countRounds(size_t d) const {
  return llvm::divideCeil(sizes[d], along[d]);
}

int64_t CopyTeam::countRounds() const {
  if (!isRegular())
    return llvm::divideCeil(llvm::product_of(sizes, int64_t(1)), threads);
  int64_t rounds = 1;
  for (size_t d = 0, e = sizes.size(); d < e; ++d)
    rounds *= countRounds(d);
  return rounds;
}

llvm::SmallVector<int64_t, 32> CopyTeam::getPlaces(size_t d, int64_t first,
                                                   int64_t count,
                                                   int64_t round) const {
  llvm::ArrayRef<int64_t> own = isRegular() ? along : sizes;
  int64_t inner = llvm::product_of(own.drop_front(d + 1), int64_t(1));
  int64_t begin = 0;
  if (isRegular()) {
    for (size_t other = d + 1; other < sizes.size(); ++other)
      round /= countRounds(other);
    begin = round % countRounds(d) * along[d];
  } else {
    first += round * threads;
  }
  llvm::SmallVector<int64_t, 32> places(count, begin);
  // Numbers past the last chunk are outside along the outermost dimension.
  int64_t digits = d == 0 ? std::numeric_limits<int64_t>::max() : own[d];
  addDigits(first, inner, digits, /*stride=*/1, places);
  return places;
}

static int64_t countWarps(int64_t threads) {
  return llvm::divideCeil(threads, kWarpSize);
}

namespace {
/// Finds the regular team of fewest rounds, and of these the one with most
/// threads along inner dimensions.
struct TeamSearch {
  CopyTeam team, best;
  int64_t mostRequests; ///< of warps, in all rounds
  int64_t fewest;       ///< rounds, of `best` or allowed

  /// Chooses threads along dimensions from `d` outwards; `left` are to be had,
  /// and along inner dimensions there are `rounds`. A chunk there has
  /// `bytes`.
  void choose(size_t d, int64_t left, int64_t rounds, int64_t bytes);
};
} // namespace

void TeamSearch::choose(size_t d, int64_t left, int64_t rounds, int64_t bytes) {
  int64_t size = team.sizes[d];
  if (d == 0) {
    team.along[0] = std::min(size, left);
    rounds *= team.countRounds(0);
    if (rounds > fewest || (rounds == fewest && best.isRegular()) ||
        rounds * countWarps(llvm::product_of(team.along, int64_t(1))) >
            mostRequests)
      return;
    fewest = rounds;
    best = team;
    return;
  }
  for (int64_t own = llvm::divideCeil(size, left); own * rounds <= fewest;
       ++own) {
    int64_t along = llvm::divideCeil(size, own);
    // Once a row has been split, rows are no longer neighbours.
    bool isNeighbour = rounds == 1;
    if (own > 1 && isNeighbour && along * bytes < kLeastPart)
      return;
    team.along[d] = along;
    choose(d - 1, left / along, rounds * own, along * bytes);
    if (own >= size)
      return;
  }
}

CopyTeam mlir::tc::getCopyTeam(llvm::ArrayRef<int64_t> sizes, int64_t threads,
                               int64_t bytes) {
  CopyTeam all = {llvm::SmallVector<int64_t>(sizes), {}, threads};
  int64_t rounds = all.countRounds();
  if (sizes.empty() || rounds <= 1 || rounds > kMostRegularRounds)
    return all;
  TeamSearch search = {all, all,
                       rounds * countWarps(threads) * kMostEighths / 8,
                       kMostRegularRounds};
  search.team.along.resize(sizes.size());
  search.choose(sizes.size() - 1, threads, /*rounds=*/1, bytes);
  CopyTeam &best = search.best;
  if (best.isRegular())
    best.threads = llvm::product_of(best.along, int64_t(1));
  return best;
}
