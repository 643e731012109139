//===- SampledPlace.h - Where a sampled tile begins ----------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses of a kernel are counted in a few of its tiles. How many sectors and
// lines a run of elements touches depends on where in a line it begins, and
// tiles whose size is no multiple of a line begin at all places in turn.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_COST_SAMPLEDPLACE_H
#define TC_LIB_ANALYSIS_COST_SAMPLEDPLACE_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// Samples that are looked at, of each kind of request.
inline constexpr unsigned kSamples = 8;

/// The `sample`-th of some numbers below `count` that spread evenly, others for
/// each `coordinate`.
int64_t pick(unsigned sample, unsigned coordinate, int64_t count);

/// The place in an array where the tile of one of kSamples samples begins: a
/// sum of numbers of steps along its iterators.
class SampledPlace {
public:
  SampledPlace(const Access &array, unsigned sample)
      : array(array), sample(sample), element(array.getNominalOffset()) {}

  /// Goes one of `count` numbers of steps of `points` along `iterator`, and
  /// returns how many points these are. Each call has its own `coordinate`.
  int64_t add(unsigned iterator, unsigned coordinate, int64_t count,
              int64_t points);

  /// The element there, moved within its line: the samples take turns at all
  /// places in a line that the steps reach.
  int64_t getElement() const;

private:
  struct Steps {
    int64_t count, bytes;
  };

  const Access &array;
  unsigned sample;
  int64_t element;
  SmallVector<Steps> taken;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_SAMPLEDPLACE_H
