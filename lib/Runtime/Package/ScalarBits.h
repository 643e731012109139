//===- ScalarBits.h - Numbers as scalars of a type --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A scalar argument of a package is passed by its bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_PACKAGE_SCALARBITS_H
#define TC_LIB_RUNTIME_PACKAGE_SCALARBITS_H

#include "Dlpack.h"

#include <optional>

namespace tc::runtime {

/// The bits of a whole number in a type of numbers; none where the type is of
/// whole numbers or truth values and does not have it.
std::optional<uint64_t> scalarBits(DLDataType type, int64_t value);

/// The bits of a number in a type of floats, rounded to nearest, ties to even;
/// floats of 8 bits saturate. None where the type is another.
std::optional<uint64_t> scalarBits(DLDataType type, double value);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_PACKAGE_SCALARBITS_H
