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

namespace mlir::tc {

/// A mapping under construction. After the first combinator that does not apply
/// the rest are ignored, and `finish` returns its error.
class MappingBuilder {
public:
  explicit MappingBuilder(const IndexSpace &domain)
      : domain(domain), current(domain) {
    if (llvm::Error error = domain.verify())
      failure = llvm::toString(std::move(error));
  }

  const IndexSpace &space() const { return current; }
  unsigned rank() const { return current.rank(); }
  AffineExpr extent(unsigned dim) const { return current.range(dim).extent(); }
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

  llvm::Expected<Mapping> finish() const;

private:
  IndexSpace domain, current;
  SmallVector<Combinator> steps;
  std::string failure;
};

} // namespace mlir::tc

#endif // TC_LIB_ALGEBRA_MAPPINGBUILDER_H
