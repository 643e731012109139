//===- GroupModel.h - A model of wgmma --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts of shared memory as the PTX ISA document, section 9.7.15.5.1, draws
// them, what the bits of elements mean, and sums in order. Written apart from
// the emulator's formulas.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPMODEL_H
#define TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPMODEL_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>
#include <random>

namespace tc::emulator::test {

/// Where the elements of a matrix of some rows (m or n) and 32 bytes of k are.
struct SharedLayout {
  unsigned swizzle = 0; ///< bytes: 0, 32, 64 or 128
  bool isRowsTogether = false;
  unsigned leading = 0, stride = 0; ///< bytes

  /// Pieces of 16 bytes change places in a row of the pattern: i counts rows of
  /// the swizzle's length.
  unsigned getPiece(unsigned i, unsigned piece) const {
    return swizzle == 128  ? piece ^ i % 8
           : swizzle == 64 ? piece ^ i / 2 % 4
           : swizzle == 32 ? piece ^ i / 4 % 2
                           : piece;
  }
  /// Byte `b` of k of a row; or of 2 bytes of the element (row, b / 2).
  unsigned place(unsigned row, unsigned b) const {
    if (!isRowsTogether && !swizzle)
      return row / 8 * stride + b / 16 * leading + row % 8 * 16 + b % 16;
    if (!isRowsTogether)
      return row / 8 * stride + row % 8 * swizzle +
             getPiece(row % 8, b / 16) * 16 + b % 16;
    unsigned k = b / 2, low = b % 2;
    if (!swizzle)
      return row / 8 * stride + k / 8 * leading + k % 8 * 16 + row % 8 * 2 +
             low;
    unsigned at = row * 2 % swizzle;
    return row * 2 / swizzle * leading + k / 8 * stride + k % 8 * swizzle +
           getPiece(k % 8, at / 16) * 16 + at % 16 + low;
  }
  /// Strides without gaps, or with some.
  void choose(unsigned rows, bool hasGaps) {
    unsigned core = swizzle ? 8 * swizzle : 128;
    unsigned gap = hasGaps ? core : 0;
    if (!isRowsTogether) {
      leading = swizzle ? 16 : core + gap;
      stride = swizzle ? core + gap : 2 * leading;
    } else if (!swizzle) {
      leading = core + gap;
      stride = 2 * leading;
    } else {
      stride = core + gap;
      leading = 2 * stride;
    }
  }
  unsigned getBytes(unsigned rows) const {
    unsigned most = 0;
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned b = 0; b < 32; ++b)
        most = std::max(most, place(row, b));
    return (most + 1024) / 1024 * 1024;
  }
  /// The descriptor of a matrix at address 0.
  uint64_t getDescriptor() const {
    uint64_t code = swizzle == 128  ? 1
                    : swizzle == 64 ? 2
                    : swizzle == 32 ? 3
                                    : 0;
    return uint64_t(leading / 16) << 16 | uint64_t(stride / 16) << 32 |
           code << 62;
  }
};

inline unsigned getElementBits(llvm::StringRef type) {
  return type == "tf32" || type == "f32" || type == "s32" ? 32
         : type == "f16" || type == "bf16"                ? 16
         : type == "b1"                                   ? 1
                                                          : 8;
}

inline double decodeSmallFloat(uint32_t bits, int exponentBits,
                               int mantissaBits, bool hasInfinity) {
  int bias = (1 << (exponentBits - 1)) - 1;
  uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  int exponent = int(bits >> mantissaBits & ((1u << exponentBits) - 1));
  double sign = bits >> (exponentBits + mantissaBits) & 1 ? -1 : 1;
  int last = (1 << exponentBits) - 1;
  if (hasInfinity && exponent == last)
    return mantissa ? NAN : sign * INFINITY;
  if (!hasInfinity && exponent == last && mantissa == (1u << mantissaBits) - 1)
    return NAN;
  if (!exponent)
    return sign * std::ldexp(mantissa, 1 - bias - mantissaBits);
  return sign * std::ldexp(mantissa + (1 << mantissaBits),
                           exponent - bias - mantissaBits);
}

inline double decodeElement(llvm::StringRef type, uint32_t bits) {
  if (type == "f16")
    return decodeSmallFloat(bits & 0xffff, 5, 10, true);
  if (type == "bf16")
    return decodeSmallFloat(bits & 0xffff, 8, 7, true);
  if (type == "tf32")
    return decodeSmallFloat(bits >> 13, 8, 10, true);
  if (type == "f32")
    return llvm::bit_cast<float>(bits);
  if (type == "e4m3")
    return decodeSmallFloat(bits & 0xff, 4, 3, false);
  if (type == "e5m2")
    return decodeSmallFloat(bits & 0xff, 5, 2, true);
  if (type == "s8")
    return int8_t(bits);
  if (type == "u8")
    return uint8_t(bits);
  return int32_t(bits);
}

/// To nearest even; all that is no number is one.
inline uint32_t encodeResult(llvm::StringRef type, double value) {
  if (type == "f16") {
    if (std::isnan(value))
      return 0x7fff;
    return llvm::bit_cast<uint16_t>(_Float16(value));
  }
  return std::isnan(value) ? 0x7fffffff
                           : llvm::bit_cast<uint32_t>(float(value));
}

/// Bits of an element: any, or those of a number from -3 to 3.
inline uint32_t makeElement(llvm::StringRef type, bool isSmall,
                            std::mt19937_64 &random) {
  uint32_t bits = random();
  if (!isSmall || type == "b1")
    return bits;
  int value = int(bits % 7) - 3;
  if (type == "s8" || type == "s32")
    return uint32_t(value);
  if (type == "u8")
    return bits % 7;
  // By search: there are few bits.
  static const float values[] = {0, 1, 2, 3};
  uint32_t magnitude = llvm::bit_cast<uint32_t>(values[std::abs(value)]);
  uint32_t sign = value < 0;
  if (type == "f32" || type == "tf32")
    return magnitude | sign << 31;
  if (type == "bf16")
    return magnitude >> 16 | sign << 15;
  int exponentBits = type == "e4m3" ? 4 : 5;
  int mantissaBits = type == "f16" ? 10 : type == "e4m3" ? 3 : 2;
  uint32_t low = magnitude ? (magnitude >> (23 - mantissaBits)) -
                                 ((127u - ((1u << (exponentBits - 1)) - 1))
                                  << mantissaBits)
                           : 0;
  return low | sign << (exponentBits + mantissaBits);
}

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_WARPGROUP_GROUPMODEL_H
