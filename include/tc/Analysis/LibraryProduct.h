//===- LibraryProduct.h - Contractions that a library computes --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which contractions are the batched matrix products of libraries, and how
// their operands lie as matrices.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_LIBRARYPRODUCT_H
#define TC_ANALYSIS_LIBRARYPRODUCT_H

#include "tc/Analysis/Access.h"

#include <complex>

namespace mlir::tc {

/// What an epilogue does that only scales: `sum * ofSum + side * ofSide`.
struct Scaling {
  std::complex<double> ofSum = 1, ofSide = 0;
};

/// How the epilogue of `op` scales, where it does nothing else and there is one
/// side at most. Without an epilogue, by 1.
std::optional<Scaling> findScaling(ContractOp op);

/// The operands and attributes of a tc.library_product.
struct LibraryProduct {
  Value a, b, c, d;
  std::array<int64_t, 4> extents, leading, strides;
  std::array<bool, 2> transposed;
  std::complex<double> alpha, beta;
};

/// The product that `op` is, if it is one; else `problem` says why not, in
/// terms of its iterators.
std::optional<LibraryProduct> findLibraryProduct(ContractOp op,
                                                 const StrideTable &access,
                                                 std::string &problem);

} // namespace mlir::tc

#endif // TC_ANALYSIS_LIBRARYPRODUCT_H
