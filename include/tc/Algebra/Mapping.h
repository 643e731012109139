//===- Mapping.h - A list of combinators over one index space ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The composition of combinators, applied first to last: from the index space
// of a tc.par to the space of threads that a GPU starts, and back. Forward,
// inverse and guard obey the same laws as those of one combinator.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_MAPPING_H
#define TC_ALGEBRA_MAPPING_H

#include "tc/Algebra/Combinators.h"

#include <vector>

namespace mlir::tc {

/// One value for each hardware axis.
struct Axes {
  AffineExpr x, y, z;
};

/// The extents of a launch.
struct LaunchExtents {
  Axes grid, block;
};

/// An index space mapped to a thread space. A plain value.
class Mapping {
public:
  /// Applies `combinators` in order. Fails, naming the combinator and its
  /// place, when one of them may not be applied to the space it meets.
  static llvm::Expected<Mapping> get(const IndexSpace &domain,
                                     ArrayRef<Combinator> combinators);

  MLIRContext *getContext() const { return space.getContext(); }
  const IndexSpace &domain() const { return space; }
  /// The thread space.
  const IndexSpace &image() const {
    return steps.empty() ? space : steps.back().image;
  }
  ArrayRef<Combinator> combinators() const { return applied; }

  /// The thread index of an index of the domain.
  SmallVector<AffineExpr> forward(ArrayRef<AffineExpr> index) const;
  /// The index that a thread works on. Meaningful where the guard holds.
  SmallVector<AffineExpr> inverse(ArrayRef<AffineExpr> thread) const;
  /// The conditions, each `expression >= 0`, for a thread of the image space to
  /// have work; each once, those that always hold left out.
  SmallVector<AffineExpr> guard(ArrayRef<AffineExpr> thread) const;

  /// How many of the outermost dimensions of the image are loops of each
  /// thread: what serial says, else none.
  unsigned serialRank() const;
  /// The extents of these loops.
  SmallVector<AffineExpr> serialExtents() const;
  /// The other dimensions of the image as the axes of one level, the last as x;
  /// axes that are not used are 1. None when there are more than three.
  std::optional<Axes> axes() const;
  /// The thread index at these coordinates of one level and indices of the
  /// loops; the inverse of the order in `axes`.
  SmallVector<AffineExpr> threadAt(const Axes &coordinates,
                                   ArrayRef<AffineExpr> loops = {}) const;

  /// How many of the innermost dimensions of the image are the block, when the
  /// last combinator is grid_block; else none.
  std::optional<unsigned> blockRank() const;
  /// The launch, when the last combinator is grid_block; else none.
  std::optional<LaunchExtents> launch() const;
  /// The thread index at these coordinates and indices of the loops, when the
  /// last is grid_block.
  SmallVector<AffineExpr> threadAt(const Axes &blockIndex,
                                   const Axes &threadIndex,
                                   ArrayRef<AffineExpr> loops = {}) const;

  /// Prints `<first, second, ...>`.
  void print(llvm::raw_ostream &os) const;

private:
  friend class MappingBuilder;
  explicit Mapping(const IndexSpace &domain) : space(domain) {}

  /// Applies one combinator more.
  llvm::Error append(const Combinator &combinator);
  void dropLast() { applied.pop_back(), steps.pop_back(); }

  IndexSpace space;
  SmallVector<Combinator> applied;
  std::vector<MapStep> steps; ///< of each of them
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Mapping &mapping);

} // namespace mlir::tc

#endif // TC_ALGEBRA_MAPPING_H
