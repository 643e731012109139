//===- Formats.h - Small floating-point formats -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Encoding of numbers in the formats that hosts do not compute with (PTX ISA,
// section 5.2.3), in every rounding mode. Kernels call it for the rare forms;
// .f16 and .bf16 to nearest are done inline.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_LOWER_FORMATS_H
#define TC_LIB_EMULATOR_TRANSLATE_LOWER_FORMATS_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <utility>

namespace tc::emulator {

enum class Format : uint8_t { F16, BF16, TF32, E4M3, E5M2 };

/// `Away` is to nearest, ties away from zero (.rna).
enum class Rounding : uint8_t { Nearest, Zero, Down, Up, Away };

/// What to encode as.
struct Encoding {
  Format format;
  Rounding rounding = Rounding::Nearest;
  /// Beyond the greatest number comes the greatest number, not infinity.
  bool isSaturated = false;

  uint32_t pack() const {
    return uint32_t(format) | uint32_t(rounding) << 8 |
           uint32_t(isSaturated) << 16;
  }
  static Encoding unpack(uint32_t bits) {
    return {Format(bits & 0xff), Rounding(bits >> 8 & 0xff), bool(bits >> 16)};
  }
};

/// The bits of `value` in the format; .tf32 fills 32 bits. A NaN gives the
/// canonical one.
uint32_t encode(double value, Encoding encoding);
/// The same of (-1)^isNegative * significand * 2^exponent.
uint32_t encode(bool isNegative, uint64_t significand, int exponent,
                Encoding encoding);

/// The number that `bits` are in the format; exact.
double decode(uint32_t bits, Format format);

/// Names and addresses of tc_emulator_encode_<f64|s64|u64>(value, packed
/// encoding).
llvm::ArrayRef<std::pair<const char *, void *>> getFormatFunctions();

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_LOWER_FORMATS_H
