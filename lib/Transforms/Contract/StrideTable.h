//===- StrideTable.h - Editing contractions as tables -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pass that changes the iterators of contractions reads them into a table
// (tc/Analysis/Access.h), edits its rows, and writes contractions over the new
// rows. Iterators are numbered by rows; what adds a row adds it at the end.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_STRIDETABLE_H
#define TC_LIB_TRANSFORMS_CONTRACT_STRIDETABLE_H

#include "Contract/Indexing.h"

#include "tc/Analysis/Access.h"
#include "tc/Transforms/Transforms.h"

namespace mlir::tc {

/// Gives the columns of `table`, which is of `op`, their values. The base of a
/// memref of dynamic layout is the buffer below it.
void buildValues(OpBuilder &builder, ContractOp op, StrideTable &table);

/// The table of `ops`, with values. Fails with a report when operands are no
/// strided memrefs.
FailureOr<StrideTable> buildStrideTable(OpBuilder &builder,
                                        ArrayRef<ContractOp> ops);

/// The table of `rows`, in this order.
StrideTable selectRows(StrideTable table, ArrayRef<unsigned> rows);

/// Adds a row that is like row `i`. Gives its number.
unsigned copyRow(StrideTable &table, unsigned i);

/// Sets the extent of row `i`.
void setExtent(StrideTable &table, unsigned i, OpFoldResult extent);

/// Makes steps along row `i` of every operand `factor` times as long.
void scaleRow(OpBuilder &builder, Location loc, StrideTable &table, unsigned i,
              OpFoldResult factor);

/// Splits the innermost `size` points, which divide the extent, off row `i`.
/// Gives the number of the row that is added for them, called `name`.
unsigned splitRow(OpBuilder &builder, Location loc, StrideTable &table,
                  unsigned i, int64_t size, std::string name);

/// Merges rows as long as two can be one; with `inOrder` only where that keeps
/// the order of terms. A pair stays where its outer row was.
void mergeRows(Builder &builder, StrideTable &table, bool inOrder);

/// The names of all rows.
SmallVector<StringRef> getNames(const StrideTable &table);

/// Adds a view of what `operand` starts from to `arrays`, with a dimension for
/// each row that it varies with, in memory order, largest stride first.
void addView(OpBuilder &builder, Location loc, const StrideTable &table,
             const Access &operand, MappedArrays &arrays, bool isInput);

/// Replaces `ops` by ones over the rows of `table` that are their own, in its
/// order, with views in memory order. `schedule` gives each new op its
/// schedule, from the number of the old op and the new iterators.
ContractGroup rebuildFromTable(
    RewriterBase &rewriter, ArrayRef<ContractOp> ops, const StrideTable &table,
    function_ref<ScheduleAttr(unsigned, ArrayRef<StringRef>)> schedule);

/// The op round a group: its tc.sum, or the contraction itself.
Operation *getOuter(ArrayRef<ContractOp> ops);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_STRIDETABLE_H
