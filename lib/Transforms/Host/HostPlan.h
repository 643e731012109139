//===- HostPlan.h - How a CPU computes a contraction ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction of two inputs is a matrix product whose rows, columns and sums
// are each several iterators, counted as one (Matthews, High-Performance Tensor
// Contraction without Transposition, 2018). The tiles are those of Goto and van
// de Geijn (Anatomy of High-Performance Matrix Multiplication, 2008), with the
// roles of the caches as in their "panel-block" variant: a block of columns
// stays in the second-level cache, panels of rows pass through the first.
//
// A #tc.host_schedule has all that is decided of it. Here it is checked against
// the contraction, and its lists become rows of a table.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTPLAN_H
#define TC_LIB_TRANSFORMS_HOST_HOSTPLAN_H

#include "Contract/StrideTable.h"
#include "Host/HostBuilder.h"

#include <optional>

namespace mlir::tc {

/// The iterators of a contraction by what they count, outer ones first, and the
/// sizes of its tiles.
struct HostPlan {
  SmallVector<unsigned> batch, rows, columns, sums;
  /// Which input varies with rows, and which with columns.
  unsigned rowInput = 0, columnInput = 1;
  /// What accumulators are of: their type, or that of their two parts where
  /// they are complex.
  Type part;
  int64_t parts = 1;
  /// What panels hold: the same, or numbers of fewer bits, of which one
  /// instruction multiplies `dot` sums.
  Type number;
  int64_t dot = 1;
  /// A register tile is `rowTile` by `vectors` vectors of `lanes` elements.
  int64_t lanes = 1, vectors = 1, rowTile = 1;
  int64_t columnTile() const { return lanes * vectors; }
  /// The shape of a panel of so many rows or columns.
  SmallVector<int64_t> shapeOfPanel(int64_t width) const {
    return {parts, depth / dot, width * dot};
  }
  /// Of one block: sums, rows in panels, rows of a task, columns.
  int64_t depth = 1, rowBlock = 1, rowGroup = 1, columnBlock = 1;
  /// Columns come in tiles of so many by so many, of which the outer ones are
  /// neighbours in the input and the inner ones in the result; 1 by 1 else.
  int64_t inputNeighbours = 1, resultNeighbours = 1;
  /// The innermost iterator of columns counts as so many, in whole vectors, so
  /// that none goes over its end; 0 where it counts as what it is.
  int64_t padded = 0;
  /// Do register tiles read rows and columns where they lie?
  bool readsRows = false, readsColumns = false;
  /// Do tasks share out the batch, or the blocks of each product?
  bool sharesBatch = false;
};

/// Products of at least this many terms are worth a plan, and then worth
/// threads.
inline constexpr int64_t kHostTerms = 1 << 14;

/// What the panels and tables of a task may take of the stack, in bytes. The
/// runtime sees to it that a kernel has a little more (docs/Packaging.md). And
/// what the panels of rows that all tasks share may take of other memory: more
/// than a machine has, so that nothing overflows.
inline constexpr int64_t kHostStackBytes = 2 << 20;
inline constexpr int64_t kHostPanelBytes = int64_t(1) << 40;

/// What accumulators are of: the type of a number, and how many make up one.
struct HostParts {
  Type type;
  int64_t count = 1;
};

/// Width in bits of the vectors whose pairs of numbers a CPU multiplies; 0
/// where it has no instruction for that.
struct HostDots {
  int64_t bf16 = 0, i16 = 0;
};

/// Nothing unless vectors can hold the numbers, and products are added in any
/// order.
std::optional<HostParts> findHostParts(ContractOp op);

/// The type of numbers of which one instruction multiplies pairs, and adds them
/// up to `lanes` accumulators of `op`; null where the CPU has none.
Type findDotType(ContractOp op, const StrideTable &table, int64_t lanes,
                 HostDots dots);

/// Is a result no more than its accumulator, in the same type?
bool isBare(ContractOp op);

/// What is wrong with `schedule` for `op`, whose stride table is `table`;
/// nothing if it is legal.
std::optional<std::string> findHostScheduleProblem(ContractOp op,
                                                   const StrideTable &table,
                                                   HostScheduleAttr schedule,
                                                   HostDots dots);

/// What `schedule` says of `op`, which it fits. Splits rows of `table`, which
/// has values, for inner points.
HostPlan readHostSchedule(HostBuilder &builder, ContractOp op,
                          StrideTable &table, HostScheduleAttr schedule);

/// The elements of `operand` that are neighbours along the innermost of
/// `iterators`, as far as that is known; 1 where there are none.
int64_t getRun(const StrideTable &table, const Access &operand,
               ArrayRef<unsigned> iterators);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTPLAN_H
