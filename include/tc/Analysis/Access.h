//===- Access.h - Operands of a contraction over its iterators --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A contraction is one iteration space and one stride vector per operand. This
// file computes the vectors; every question about a contraction (classes,
// merging, tiles, footprints) is answered from them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_ACCESS_H
#define TC_ANALYSIS_ACCESS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Where one operand is read or written, over all iterators: the offset in
/// elements and, for each iterator, a stride in elements (0: the operand does
/// not vary with it). What is dynamic is ShapedType::kDynamic.
struct Access {
  int64_t offset = 0;
  SmallVector<int64_t> strides;
  /// The strides, with estimates for dynamic ones: dynamic sizes are nominal,
  /// rows are taken to lie densely.
  SmallVector<int64_t> nominal;
  int64_t bytes = 0; ///< of an element
  bool variesWith(unsigned iterator) const { return strides[iterator] != 0; }

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

/// All operands of a contraction on strided memrefs.
struct ContractAccess {
  /// Extents, some kDynamic, and with estimates for those.
  SmallVector<int64_t> extents, nominalExtents;
  SmallVector<Access> inputs, sides, outputs;
  /// Is the iterator contracted? By the result's subscripts, not its strides.
  SmallVector<bool> contracted;

  unsigned getNumIterators() const { return extents.size(); }
  /// Are all extents static, and none 0?
  bool hasKnownPoints() const;
  const Access &output() const { return outputs.front(); }
  /// The inputs that vary with the iterator, as bits: bit k is input k.
  uint64_t getInputsVarying(unsigned iterator) const;
  /// Inputs, sides and outputs.
  SmallVector<Access> getAll() const {
    return llvm::to_vector(llvm::concat<const Access>(inputs, sides, outputs));
  }
};

/// Computes the access of each operand, with dynamic extents taken to be
/// `nominal`. Reports at the op, and fails, when an operand is no strided
/// memref, or spans more than can be addressed.
FailureOr<ContractAccess> getContractAccess(ContractOp op,
                                            int64_t nominal = kNominalExtent);

} // namespace mlir::tc

#endif // TC_ANALYSIS_ACCESS_H
