//===- MapCandidates.h - Mappings worth comparing ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The search for a mapping chooses which dimensions neighbouring threads lie
// along. These functions list what it chooses from: orders of the dimensions,
// the innermost ones folded where rows are short, and tiles of threads that are
// several rows high. Each obeys the limits for all values of symbols.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_MAPCANDIDATES_H
#define TC_ALGEBRA_MAPCANDIDATES_H

#include "tc/Algebra/Strategies.h"

#include <vector>

namespace mlir::tc {

/// A space, and what is assumed of it.
struct MapProblem {
  IndexSpace space;
  /// For each symbol a value that it might have.
  ArrayRef<int64_t> symbols;
  /// The dimensions that lanes of a warp may differ in; the others, and those
  /// of one index, stay outermost, in their order.
  SmallVector<unsigned> dims;
};

/// The dimensions of `space` that have more than one index.
SmallVector<unsigned> getDimsOfSeveral(const IndexSpace &space);

/// Mappings that end in grid_block, with blocks of about `threads` threads.
std::vector<Mapping> proposeForDevice(const MapProblem &problem,
                                      const LaunchLimits &limits = {},
                                      int64_t threads = 256);

/// Mappings to the device whose threads have 2 or 4 iterations each of what
/// `mapping`, one without loops, starts that many threads for: along one of the
/// two innermost dimensions of the grid, if its extent is static.
std::vector<Mapping> coarsen(const Mapping &mapping,
                             const LaunchLimits &limits = {});

/// Mappings to one axis of at most `most` threads; where there are more
/// indices, or nobody knows how many, in turns of `usual` threads.
std::vector<Mapping> proposeForTeam(const MapProblem &problem, int64_t most,
                                    int64_t usual);

} // namespace mlir::tc

#endif // TC_ALGEBRA_MAPCANDIDATES_H
