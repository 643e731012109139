//===- Digits.h - Digits of consecutive numbers -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ALGEBRA_DIGITS_H
#define TC_ALGEBRA_DIGITS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mlir::tc {

/// Adds `number / step % count * stride` to each of `sums`, for numbers from
/// `first` on: how far along a dimension neighbouring threads are. A schedule
/// search asks for so many that only the first is worth divisions.
inline void addDigits(int64_t first, int64_t step, int64_t count,
                      int64_t stride, llvm::MutableArrayRef<int64_t> sums) {
  if (count == 1)
    return;
  int64_t until = step - first % step, digit = first / step % count;
  for (int64_t &sum : sums) {
    sum += digit * stride;
    if (--until != 0)
      continue;
    until = step;
    if (++digit == count)
      digit = 0;
  }
}

} // namespace mlir::tc

#endif // TC_ALGEBRA_DIGITS_H
