//===- PairOrder.h - A product of many arrays, two at a time ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In which order to contract three or more arrays, by the iterators that each
// varies with; no ops. See Note [Order of pairs] in PairOrder.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_PAIRORDER_H
#define TC_ANALYSIS_PAIRORDER_H

#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace mlir::tc {

/// A set of iterators, one bit each.
using IteratorSet = llvm::SmallBitVector;

/// A sum of products as far as its cost goes.
struct ProductShape {
  llvm::SmallVector<int64_t> extents;    ///< of each iterator
  llvm::SmallVector<IteratorSet> inputs; ///< what each input varies with
  IteratorSet result;                    ///< what the result varies with
  /// Inputs up to which the best order is searched for, not guessed.
  static constexpr unsigned kMostExact = 12;
};

/// One contraction of a chain. Its operands are numbered: the inputs, then what
/// the steps yield, in order.
struct PairStep {
  unsigned left;
  std::optional<unsigned> right; ///< nothing: `left` is summed on its own
  IteratorSet iterators;         ///< of the nest
  IteratorSet kept;              ///< what its result varies with
};

/// Steps of which the last yields the result.
struct PairChain {
  llvm::SmallVector<PairStep> steps;
  int64_t flops = 0;       ///< multiplications and additions, saturating
  int64_t temporaries = 0; ///< elements of all temporaries, saturating
};

/// Multiplications and additions of one nest over all inputs: for each point
/// one less than there are inputs, and one if anything is contracted;
/// saturating.
int64_t countFlops(const ProductShape &shape);

/// The chain of fewest flops, then of fewest elements in temporaries; with more
/// than kMostExact inputs a good one. Takes at least two inputs.
PairChain findBestChain(const ProductShape &shape);

} // namespace mlir::tc

#endif // TC_ANALYSIS_PAIRORDER_H
