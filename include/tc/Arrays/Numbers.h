//===- Numbers.h - Elements and their bytes ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Single elements of arrays, as little-endian bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ARRAYS_NUMBERS_H
#define TC_ARRAYS_NUMBERS_H

#include "tc/Arrays/ElementType.h"

#include <cstdint>

namespace mlir::tc {

/// Bytes of memory that this machine has.
int64_t physicalMemory();

/// How many significant bits random numbers have: all of the type's, or so few
/// that sums of products are exact.
enum class RandomBits { all, few };
/// A number of a real type, uniform over [-1, 1).
double randomReal(ElementType type, uint64_t random,
                  RandomBits bits = RandomBits::all);

/// Writes an element of a type that is no pair: its bits, or the number nearest
/// to `value` (in 8 bits a finite one), to which integers wrap.
void writeBits(ElementType type, uint64_t bits, char *to);
void writeNumber(ElementType type, double value, char *to);

/// Reads an element of a real type, or of one of integers or truth values.
double readReal(ElementType type, const char *from);
int64_t readInteger(ElementType type, const char *from);

} // namespace mlir::tc

#endif // TC_ARRAYS_NUMBERS_H
