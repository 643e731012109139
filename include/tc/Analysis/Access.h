//===- Access.h - Contractions as tables of strides -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What contractions are but for their operations: a row per iterator, a column
// per operand, and in each place a stride, which is three numbers: one that is
// static or kDynamic, one with estimates, and a value. Every question about a
// contraction (classes, merging, tiles, footprints) is answered from these.
// Passes fill in the values, and edit rows, with Contract/StrideTable.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_ACCESS_H
#define TC_ANALYSIS_ACCESS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// A column: where one operand is read or written, over all iterators. The
/// element is at offset + sum(i * strides[i]) from the base, in elements; a
/// stride is 0 where the operand does not vary with the iterator.
struct Access {
  /// What is dynamic is ShapedType::kDynamic.
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  /// The strides, with estimates for dynamic ones: dynamic sizes are nominal,
  /// rows are taken to lie densely.
  SmallVector<int64_t> nominal;
  int64_t bytes = 0; ///< of an element
  Type type;         ///< of an element; null where only its size is known
  /// Base, offset and strides at run time; empty before buildValues.
  Value base;
  OpFoldResult start;
  SmallVector<OpFoldResult> values;

  bool variesWith(unsigned iterator) const { return strides[iterator] != 0; }

  /// Is the stride known to be negative?
  bool isDownwards(unsigned iterator) const {
    return !ShapedType::isDynamic(strides[iterator]) && strides[iterator] < 0;
  }
  /// How far apart neighbours along the iterator are, and the first element
  /// from an aligned address; estimates where that is dynamic.
  int64_t getDistance(unsigned iterator) const {
    return std::abs(nominal[iterator]);
  }
  int64_t getNominalOffset() const {
    return ShapedType::isDynamic(offset) ? 0 : offset;
  }
  /// Are accesses of `vector` neighbours along `iterator` all aligned, as far
  /// as the other iterators go?
  bool isAligned(unsigned iterator, int64_t vector) const;
  /// Is it known which elements are neighbours?
  bool hasKnownRows() const;
};

/// What a dynamic extent is taken to be where a choice has to be made before,
/// and nothing else says what.
inline constexpr int64_t kNominalExtent = 256;

/// The nominal extent that `tc.nominal` of a function's argument gives an
/// extent that is a memref.dim of it, or a product of such.
std::optional<int64_t> findNominalExtent(OpFoldResult extent);

/// What dynamic extents of `op` of which nothing is said are taken to be: as
/// large as the median of those that are static, from 16 to 4096, if there is
/// one.
int64_t estimateExtent(ContractOp op);

/// One contraction on strided memrefs, or the terms of a tc.sum: these have the
/// result iterators in common, and each has contracted ones of its own, with
/// which the operands of others do not vary.
struct StrideTable {
  /// Rows: extents, some kDynamic, with estimates for those, and as values.
  SmallVector<int64_t> extents, nominalExtents;
  SmallVector<OpFoldResult> extentValues;
  SmallVector<std::string> names;
  /// Is the iterator contracted? By the result's subscripts, not its strides.
  SmallVector<bool> contracted;
  /// The number of the contraction that a contracted iterator is of.
  SmallVector<unsigned> term;
  /// Columns, of one contraction after the other.
  SmallVector<Access> inputs, sides, outputs;

  unsigned getNumIterators() const { return extents.size(); }
  /// Are all extents static, and none 0?
  bool hasKnownPoints() const;
  const Access &output() const { return outputs.front(); }
  /// The inputs that vary with the iterator, as bits: bit k is input k.
  uint64_t getInputsVarying(unsigned iterator) const;
  /// Inputs, sides and outputs.
  auto columns() { return llvm::concat<Access>(inputs, sides, outputs); }
  auto columns() const {
    return llvm::concat<const Access>(inputs, sides, outputs);
  }
};

/// What dynamic extents are taken to be, those of results and others.
struct NominalExtents {
  int64_t results, contracted;
  /// One iterator that is unlike the others, and its extent.
  std::optional<std::pair<unsigned, int64_t>> single;
  NominalExtents(int64_t all) : results(all), contracted(all) {}
  NominalExtents(int64_t results, int64_t contracted)
      : results(results), contracted(contracted) {}
};

/// The table of `op`, without values of strides. Dynamic extents count as what
/// findNominalExtent says of them, others as `nominal`, by default what
/// estimateExtent says. Reports at the op, and fails, when an operand is no
/// strided memref, or spans more than can be addressed.
FailureOr<StrideTable>
getStrideTable(ContractOp op,
               std::optional<NominalExtents> nominal = std::nullopt);

} // namespace mlir::tc

#endif // TC_ANALYSIS_ACCESS_H
