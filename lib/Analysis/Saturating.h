//===- Saturating.h - Sums and products that stop at the largest value *- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors that a person writes into a schedule may be huge.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SATURATING_H
#define TC_LIB_ANALYSIS_SATURATING_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstdint>
#include <limits>

namespace mlir::tc {

/// a * b, where the product is at least 0 or fits.
inline int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? std::numeric_limits<int64_t>::max()
                                          : product;
}

/// a + b for values of at least 0.
inline int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  return llvm::AddOverflow(a, b, sum) ? std::numeric_limits<int64_t>::max()
                                      : sum;
}

/// The product of values of at least 0.
inline int64_t multiplyAll(llvm::ArrayRef<int64_t> values) {
  return llvm::accumulate(values, int64_t(1), multiply);
}

/// The sum of values of at least 0.
inline int64_t addAll(llvm::ArrayRef<int64_t> values) {
  return llvm::accumulate(values, int64_t(0), add);
}

/// The next multiple of `unit`, for values of at least 0.
inline int64_t roundUp(int64_t value, int64_t unit) {
  return multiply(llvm::divideCeil(value, unit), unit);
}

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SATURATING_H
