//===- MappingBuilder.h - Applies combinators one by one --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What strategies are written with: it knows the space reached so far, and has
// the usual phrases that bring a dimension to the end, where combinators act.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ALGEBRA_MAPPINGBUILDER_H
#define TC_LIB_ALGEBRA_MAPPINGBUILDER_H

#include "tc/Algebra/Mapping.h"
#include "tc/Target/Limits.h"

namespace mlir::tc {

/// A mapping under construction. After the first combinator that does not apply
/// the rest are ignored, and `finish` returns its error.
class MappingBuilder {
public:
  explicit MappingBuilder(const IndexSpace &domain) : mapping(domain) {
    if (llvm::Error error = domain.verify())
      failure = llvm::toString(std::move(error));
  }

  const IndexSpace &space() const { return mapping.image(); }
  unsigned rank() const { return space().rank(); }
  AffineExpr extent(unsigned dim) const { return space().range(dim).extent(); }
  std::optional<int64_t> staticExtent(unsigned dim) const {
    return staticValue(extent(dim));
  }
  bool failed() const { return !failure.empty(); }

  void apply(const Combinator &combinator);
  /// Permutes; nothing for the identity, one step for two in a row.
  void permute(ArrayRef<int64_t> permutation);
  /// Moves dimension `from` to place `to`, the others keeping their order.
  void move(unsigned from, unsigned to);
  /// Lower bounds to zero, when they are not.
  void shift();
  /// Steps and widths away by compress_grid, when there are any.
  void compress();
  /// Steps and widths away by mask_grid, when there are any.
  void mask();
  /// Folds dimensions `dim` and `dim + 1`, in place.
  void foldAt(unsigned dim);
  /// Folds dimensions [begin, end) into one, in place.
  void foldRange(unsigned begin, unsigned end);
  /// Splits dimension `dim` in place; the two take its place.
  void splitAt(unsigned dim, const Combinator &split);

  /// Dimension 0 is the whole grid: splits it in (y, x), or (z, y, x), until
  /// each part obeys its limit. Nothing when x alone does. A symbolic extent is
  /// always split; at run time its outer parts are then 1 unless they are
  /// needed.
  void splitGridAxis(const LaunchLimits &limits);
  /// Folds those of the `count` outermost dimensions that have the constant
  /// extent 1 into a neighbour among them, and returns how many are left.
  unsigned dropUnits(unsigned count);
  /// Puts the `count` outermost dimensions on the axes of the grid: as they are
  /// where they fit, else folded and split.
  void fitGrid(unsigned count, const LaunchLimits &limits);

  llvm::Expected<Mapping> finish() const;
  /// The same; fails when the mapping exceeds `limits`.
  llvm::Expected<Mapping> finish(const LaunchLimits &limits) const;

private:
  bool fitsGrid(unsigned count, const LaunchLimits &limits) const;

  Mapping mapping;
  std::string failure;
};

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_MAPPINGBUILDER_H
