//===- Arrays.h - Arrays of known values ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments of the reference, without errors, as tests write them down.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_REFERENCE_ARRAYS_H
#define TC_TEST_UNIT_REFERENCE_ARRAYS_H

#include "tc/Reference/Reference.h"

namespace mlir::tc {

inline Array realArray(ArrayRef<int64_t> shape, ArrayRef<double> values) {
  Array array{SmallVector<int64_t>(shape), {}, /*isInteger=*/false};
  for (double value : values)
    array.elements.push_back(Scalar::of(value));
  return array;
}

inline Array integerArray(ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  Array array{SmallVector<int64_t>(shape), {}, /*isInteger=*/true};
  for (int64_t value : values)
    array.elements.push_back(Scalar::ofInteger(value));
  return array;
}

} // namespace mlir::tc

#endif // TC_TEST_UNIT_REFERENCE_ARRAYS_H
