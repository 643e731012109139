//===- IteratorTable.h - Contractions as a table of strides -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What contractions are but for their operations: a row per iterator and a
// stride per operand. Merging, splitting and dropping iterators is editing
// rows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_ITERATORTABLE_H
#define TC_LIB_TRANSFORMS_CONTRACT_ITERATORTABLE_H

#include "Contract/Indexing.h"

#include "tc/Transforms/Transforms.h"

namespace mlir::tc {

/// How far one index of an iterator lies from the next in one operand.
struct RowStride {
  int64_t known = 0;   ///< kDynamic where it is dynamic
  int64_t nominal = 0; ///< the same with estimates
  OpFoldResult value;  ///< the same as a value
  bool isDownwards() const {
    return !ShapedType::isDynamic(known) && known < 0;
  }
};

/// One iterator. A result iterator is of all contractions, a contracted one of
/// its own. Dynamic extents are kDynamic.
struct IteratorRow {
  std::string name;
  OpFoldResult extent;
  int64_t staticExtent;
  bool contracted;
  unsigned term; ///< the contraction that a contracted iterator is of
  /// One entry for each operand of each contraction.
  SmallVector<RowStride> strides;
};
using IteratorTable = SmallVector<IteratorRow>;

/// One contraction and its place in the table.
struct TableTerm {
  ContractOp op;
  ContractAccess access;
  SmallVector<Reach> reaches;
  size_t firstColumn = 0;
};

/// The terms of `ops`, with what their operands reach built at the insertion
/// point. Fails with a report when operands are no strided memrefs.
FailureOr<std::vector<TableTerm>> getTableTerms(OpBuilder &builder,
                                                ArrayRef<ContractOp> ops);

IteratorTable getIteratorTable(ArrayRef<TableTerm> terms);

/// Splits the innermost `size` off `row`: the result, called `name`. What `row`
/// then counts lies that much farther apart.
IteratorRow splitOff(OpBuilder &builder, Location loc, IteratorRow &row,
                     int64_t size, StringRef name);

SmallVector<StringRef> getNames(ArrayRef<IteratorRow> rows);
SmallVector<OpFoldResult> getExtents(ArrayRef<IteratorRow> rows);

/// A view of what `reach` starts from, with a dimension for each row that
/// operand `column` varies with, and the map from `rows` that names them.
/// Dimensions are in memory order, largest stride first.
std::pair<Value, AffineMap> buildRowsView(OpBuilder &builder, Location loc,
                                          const Reach &reach,
                                          ArrayRef<IteratorRow> rows,
                                          unsigned column, bool isInput);

/// Replaces the ops of `terms` by ones over the rows of `table`, in its order,
/// with views in memory order. `schedule` gives each new op its schedule, from
/// the old op and the new iterators; null for none.
ContractGroup rebuildFromTable(
    RewriterBase &rewriter, ArrayRef<TableTerm> terms,
    const IteratorTable &table,
    function_ref<ScheduleAttr(ContractOp, ArrayRef<StringRef>)> schedule);

/// The op round a group: its tc.sum, or the contraction itself.
Operation *getOuter(ArrayRef<ContractOp> ops);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_ITERATORTABLE_H
