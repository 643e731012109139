//===- Workload.h - A contraction as far as its cost goes -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a cost model has to know of a contraction, as plain numbers: extents,
// strides, sizes of elements, operations at a point.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_WORKLOAD_H
#define TC_ANALYSIS_WORKLOAD_H

#include "tc/Analysis/Access.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"

#include <array>

namespace mlir::tc {

/// Units of a multiprocessor that do the arithmetic of a contraction.
enum class Arithmetic { F32, F64, F16, Integer };
inline constexpr std::array kArithmetics = {
    Arithmetic::F32, Arithmetic::F64, Arithmetic::F16, Arithmetic::Integer};

/// The one for elements of `type`.
Arithmetic getUnit(Type type);

struct Workload {
  SmallVector<int64_t, 8> extents; ///< nominal where dynamic, at least 1
  SmallVector<bool, 8> contracted;
  /// Is the extent nominal? Nothing is known to divide it.
  SmallVector<bool, 8> dynamic;
  /// Iterators of which each block has one index.
  SmallVector<bool, 8> apart;
  /// Iterators along which there are no vectors.
  SmallVector<bool, 8> scalar;
  SmallVector<Access, 2> inputs; ///< by their nominal strides
  /// Arrays over the results: what the write-back reads (sides, old results)
  /// and what it stores.
  SmallVector<Access, 2> readBack, stored;
  Arithmetic unit = Arithmetic::F32;
  double pointOps = 1; ///< instructions for one point of the space
  double chainOps = 1; ///< of these, in a row: each needs the one before
  SmallVector<double, 2> factorOps; ///< for one element of each input, as read
  double resultOps = 0;             ///< instructions for one result, at the end
  int64_t accumulatorWords = 1;     ///< of a result, 32 bits each
  bool mayReorder = true;           ///< the terms of a result
  /// Times that the kernel has inputs like these, added into the same results:
  /// of a term of a sum, how much more all terms are.
  double repeats = 1;
  int64_t sharedBytes = 0; ///< that a block has at least, for other terms

  unsigned getNumIterators() const { return extents.size(); }
  auto getSums() const {
    return llvm::make_filter_range(
        llvm::seq(getNumIterators()),
        [this](unsigned i) { return contracted[i]; });
  }
  /// The iterators that are not contracted, in order; and by rising stride of
  /// the first result.
  auto getResults() const {
    return llvm::make_filter_range(
        llvm::seq(getNumIterators()),
        [this](unsigned i) { return !contracted[i]; });
  }
  SmallVector<unsigned, 8> sortResults() const;
  /// The least stride of an input that varies with the iterator.
  int64_t getDensest(unsigned iterator) const;
  /// Points of the iteration space; results.
  double countPoints() const;
  double countResults() const;
  /// Results with the same indices of the iterators that are apart.
  double countResultsTogether() const;
  /// Elements of `array` that are read or written at least once.
  double countElements(const Access &array) const;
};

/// The workload of a normal contraction.
Workload getWorkload(ContractOp op, const StrideTable &access);

} // namespace mlir::tc

#endif // TC_ANALYSIS_WORKLOAD_H
