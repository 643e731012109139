//===- HostTables.h - Places of a CPU's elements ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The place of an element is a sum of one number for each class of iterators
// (batch, rows, columns, sums). The numbers of a block are computed once, in a
// table, so that inner loops have no index arithmetic, whatever the rank: the
// "scatter vectors" of Matthews (2018).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTTABLES_H
#define TC_LIB_TRANSFORMS_HOST_HOSTTABLES_H

#include "Host/HostPlan.h"

namespace mlir::tc {

/// Which points a table is of: `entries` of them, `step` apart, from number
/// `start` on. Points from `total` on count as the last one before, so that
/// reading there is harmless; `step` divides `total`. Where `entries` is a
/// constant, `start` is a multiple of so many steps.
struct HostRange {
  ArrayRef<unsigned> iterators;
  Value start, entries, total;
  int64_t step = 1;
};

/// A contraction with its plan. Operands are rows of elements: each starts from
/// its lowest one.
struct HostContraction {
  /// `table` has values.
  HostContraction(HostBuilder &builder, ContractOp op, StrideTable table,
                  HostScheduleAttr schedule);

  /// How many points `iterators` have together.
  Value count(ArrayRef<unsigned> iterators);
  /// The share of `iterators` in the place of an element of `operand`, at the
  /// point number `index`.
  Value locate(const Access &operand, ArrayRef<unsigned> iterators,
               Value index);
  /// The length of runs of consecutive elements of `operand` along `iterators`:
  /// of padded columns a vector, which may have fewer.
  int64_t getRun(const Access &operand, ArrayRef<unsigned> iterators);
  /// The mask of those elements of a vector from column number `column` on that
  /// there are of the padded iterator.
  Value buildPaddingMask(Value column);
  /// The stride of the innermost of `iterators`; the largest where there is
  /// none.
  int64_t getInnerStride(const Access &operand, ArrayRef<unsigned> iterators);
  /// Writes the places of a range into `memory`, at `prefix` and the number of
  /// the entry. Gives 1 where those that there are lie `step` apart, else 0, as
  /// an index.
  Value buildTable(const Access &operand, const HostRange &range, Value memory,
                   ValueRange prefix);

  /// Is `i` the iterator of columns that counts as more than it has?
  bool isPadded(unsigned i) const {
    return plan.padded != 0 && i == plan.columns.back();
  }
  Value getExtent(unsigned i);

  HostBuilder &builder;
  ContractOp op;
  StrideTable table;
  HostPlan plan;
  /// Inputs, sides and results, in this order.
  SmallVector<Access> operands;
};

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTTABLES_H
