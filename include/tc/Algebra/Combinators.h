//===- Combinators.h - Maps from index spaces to thread spaces --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A combinator maps an index space to another one, an index of the first to an
// index of the second (`forward`), and back (`inverse`). Where the second space
// is larger than the image of the first, as after padding, the `guard` tells
// the threads that have work from those that have none. A list of combinators
// is a Mapping (Mapping.h): it ends in the space of threads that a GPU starts.
//
//   shift_lb           (l..u)       -> (0..u-l)           i - l
//   compress_grid(1,0) step, width  -> dense              where 1; needs l = 0
//   mask_grid          step, width  -> dense, with guard  leaves threads idle
//   fold_last2         (.., m, n)   -> (.., m*n)          i * n + j
//   split_last(k)      (.., n)      -> (.., ceil(n/k), k) guard if k does not
//                                                         divide n
//   split_even(k)      (.., n)      -> (.., p, ceil(n/p)) p = n floordiv k + 1,
//                                                         inner at most k
//   pad_last(k)        (.., n)      -> (.., n up to k)    guard likewise
//   permute(p)         (d_0, ..)    -> (d_p0, ..)
//   grid_block(b)      splits the dimensions into a grid and the `b` innermost
//                      as the block; the last dimension of each is its x axis
//   serial(s)          the `s` outermost dimensions are loops of each thread
//
// All are from section 4 and 6.1 of Janssen and Scholz (IFL 2021), except
// mask_grid, which is what section 5.3 does by an if statement, split_even,
// which obeys a limit on extents that are not known, and serial, for more
// iterations than threads. They come last, serial before grid_block. Laws, held
// by the unit tests at every point of small spaces: inverse(forward(i)) = i;
// forward(i) is in the image space and passes the guard; a member of the image
// space that passes the guard is forward(i) of exactly one i.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_COMBINATORS_H
#define TC_ALGEBRA_COMBINATORS_H

#include "tc/Algebra/IndexSpace.h"

namespace mlir::tc {

/// What a combinator does to one index space.
struct MapStep {
  IndexSpace image;
  /// The index in the image of an index d0, d1, ... of the domain.
  SmallVector<AffineExpr> forward;
  /// The index of the domain that is mapped to d0, d1, ... in the image.
  SmallVector<AffineExpr> inverse;
  /// The conditions on d0, d1, ... in the image, each `expression >= 0`, that
  /// hold together exactly for those that some index is mapped to. Empty when
  /// that is all of them.
  SmallVector<AffineExpr> guard;
};

/// One combinator with its arguments. A plain value.
class Combinator {
public:
  enum class Kind {
    ShiftLb,
    CompressGrid,
    FoldLast2,
    SplitLast,
    PadLast,
    Permute,
    MaskGrid,
    SplitEven,
    GridBlock,
    Serial
  };

  /// The combinator of this kind; the message says what the arguments should
  /// be when they do not fit the kind. For arguments that come from a user.
  static llvm::Expected<Combinator> get(Kind kind,
                                        ArrayRef<int64_t> arguments = {});
  /// The same by name, for example `split_last`; the message lists the names.
  static llvm::Expected<Combinator> get(llvm::StringRef name,
                                        ArrayRef<int64_t> arguments = {});

  static Combinator shiftLb() { return {Kind::ShiftLb, {}}; }
  /// One flag a dimension: 1 to compress it, 0 to leave it.
  static Combinator compressGrid(ArrayRef<int64_t> flags) {
    return {Kind::CompressGrid, flags};
  }
  static Combinator maskGrid() { return {Kind::MaskGrid, {}}; }
  static Combinator foldLast2() { return {Kind::FoldLast2, {}}; }
  static Combinator splitLast(int64_t inner) {
    return {Kind::SplitLast, {inner}};
  }
  static Combinator splitEven(int64_t limit) {
    return {Kind::SplitEven, {limit}};
  }
  static Combinator padLast(int64_t multiple) {
    return {Kind::PadLast, {multiple}};
  }
  /// Image dimension k is dimension `permutation[k]`.
  static Combinator permute(ArrayRef<int64_t> permutation) {
    return {Kind::Permute, permutation};
  }
  static Combinator gridBlock(int64_t blockDims) {
    return {Kind::GridBlock, {blockDims}};
  }

  static Combinator serial(int64_t dims) { return {Kind::Serial, {dims}}; }

  Kind kind() const { return which; }
  llvm::StringRef name() const;
  ArrayRef<int64_t> arguments() const { return values; }

  /// The step from `domain`; fails, with what the combinator requires, when it
  /// may not be applied to it.
  llvm::Expected<MapStep> apply(const IndexSpace &domain) const;

  bool operator==(const Combinator &other) const {
    return which == other.which && values == other.values;
  }

  /// Prints `name` or `name(arguments)`.
  void print(llvm::raw_ostream &os) const;

private:
  Combinator(Kind kind, ArrayRef<int64_t> arguments)
      : which(kind), values(arguments.begin(), arguments.end()) {}

  Kind which;
  SmallVector<int64_t, 4> values;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const Combinator &combinator);

} // namespace mlir::tc

#endif // TC_ALGEBRA_COMBINATORS_H
