//===- HostArray.h - Arguments and results in host memory -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The elements of one argument or result, in its own type.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_HOSTARRAY_H
#define TC_LIB_RUNNER_HOSTARRAY_H

#include "tc/Frontend/NumpyFile.h"
#include "tc/Reference/Reference.h"

#include "mlir/IR/BuiltinTypes.h"

#include <optional>

namespace mlir::tc {

/// Bytes that the elements of a memref or tensor take, or nothing when they
/// cannot be counted: the shape is not static, or 63 bits do not suffice.
std::optional<int64_t> countBytes(Type type);

/// Bytes of memory that this machine has.
int64_t physicalMemory();

/// Zeros of the shape and element type of a memref or tensor. Fails unless the
/// shape is static and the element type f32 or f64.
llvm::Expected<NumpyArray> makeArray(Type type);

/// Fills `array` with multiples of 2^-23 (f32) or 2^-52 (f64), uniformly from
/// [-1, 1). The same seed and stream give the same values on every machine.
void fillRandomly(NumpyArray &array, uint64_t seed, uint64_t stream);

/// The elements as f64.
std::vector<double> toDoubles(const NumpyArray &array);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_HOSTARRAY_H
