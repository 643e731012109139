//===- AccessBox.h - The part of a buffer that nests reach ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The box is found by interval arithmetic over the indices of the nests inside:
// a subscript is a part that depends on what is outside, and a linear form of
// indices, each of which runs over a constant number of values.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_ACCESSBOX_H
#define TC_ANALYSIS_ACCESSBOX_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// The values that a subscript takes: `base + low` to `base + high`, with a
/// base over values from outside.
struct Interval {
  AffineExpr base;
  int64_t low, high;
};

/// Why an access has no place in a box.
struct BoxObstacle {
  unsigned dim;
  /// Is the subscript no constant apart from that of the others? Else it is not
  /// linear in indices of constant extents.
  bool isApart;
};

/// The least box round the elements that accesses reach.
class AccessBox {
public:
  /// The accesses are in nests after `start`, in the same block.
  AccessBox(Operation *start, NestValues &values)
      : start(start), values(values) {}

  /// Makes room for the element of `access`, which is exact and not linear.
  std::optional<BoxObstacle> extend(const NestAccess &access);

  unsigned getRank() const { return intervals.size(); }
  /// The first value of subscript `d`, over values from outside.
  AffineExpr getFirst(unsigned d) const {
    return intervals[d].base + intervals[d].low;
  }
  int64_t getSize(unsigned d) const {
    return intervals[d].high - intervals[d].low + 1;
  }

  /// Is `value` of one of the nests after `start`?
  bool isInside(Value value) const;

private:
  bool isBefore(Value value) const;
  std::optional<int64_t> getDifference(AffineExpr first, AffineExpr second);
  SmallVector<AffineExpr> getUpperBounds(Value value);
  std::optional<Interval> findRange(Value index);
  std::optional<Interval> findInterval(AffineExpr subscript);

  Operation *start;
  NestValues &values;
  SmallVector<Interval> intervals;
};

/// `expr` without the divisions and remainders that the conditions which
/// indices obey make needless.
AffineExpr simplifyInRange(AffineExpr expr, NestValues &values);

/// Do the conditions that indices obey prove that `expr >= 0`?
bool isNonNegative(AffineExpr expr, NestValues &values);

} // namespace mlir::tc

#endif // TC_ANALYSIS_ACCESSBOX_H
