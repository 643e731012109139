//===- Formats.cpp - Small floating-point formats -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One encoder, in integers, for all formats and rounding modes.
//
//===----------------------------------------------------------------------===//

#include "Translate/Lower/Formats.h"

#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

namespace tc::emulator {

namespace {

struct FormatInfo {
  unsigned bits;     ///< the sign included
  unsigned mantissa; ///< stored bits
  int leastExponent; ///< of normal numbers
  uint32_t greatest; ///< the greatest finite number
  uint32_t infinity; ///< NaN where there is none
  uint32_t nan;      ///< the whole register
  unsigned shift;    ///< of the format within the register
};

/// In the order of `Format`.
constexpr FormatInfo formats[] = {
    {16, 10, -14, 0x7bff, 0x7c00, 0x7fff, 0},
    {16, 7, -126, 0x7f7f, 0x7f80, 0x7fff, 0},
    {19, 10, -126, 0x3fbff, 0x3fc00, 0x7fffffff, 13},
    {8, 3, -6, 0x7e, 0x7f, 0x7f, 0},
    {8, 2, -14, 0x7b, 0x7c, 0x7f, 0},
};

/// Whether a number cut by `rest` (0 none, 1 less than half a unit, 2 half, 3
/// more) is rounded away from zero.
bool roundsAway(Rounding rounding, bool isNegative, bool isOdd, int rest) {
  switch (rounding) {
  case Rounding::Nearest:
    return rest > 2 || (rest == 2 && isOdd);
  case Rounding::Away:
    return rest >= 2;
  case Rounding::Zero:
    return false;
  case Rounding::Down:
    return rest && isNegative;
  case Rounding::Up:
    return rest && !isNegative;
  }
  return false;
}

} // namespace

uint32_t encode(bool isNegative, uint64_t significand, int exponent,
                Encoding encoding) {
  const FormatInfo &info = formats[unsigned(encoding.format)];
  uint32_t bits = 0;
  if (significand) {
    int top = int(llvm::Log2_64(significand)) + exponent;
    int scale = std::max(top, info.leastExponent);
    // How many bits of the significand lie below the format's last one.
    int lost = scale - int(info.mantissa) - exponent, rest = 0;
    uint64_t kept = significand;
    if (lost > 64) {
      kept = 0;
      rest = 1;
    } else if (lost > 0) {
      uint64_t half = uint64_t(1) << (lost - 1);
      uint64_t low = significand & (half | (half - 1));
      kept = lost == 64 ? 0 : significand >> lost;
      rest = low == 0 ? 0 : low < half ? 1 : low == half ? 2 : 3;
    } else {
      kept <<= -lost;
    }
    kept += roundsAway(encoding.rounding, isNegative, kept & 1, rest);
    // The implicit bit, where there is one, counts the exponent up. Far beyond
    // the range any number too great will do.
    int above = std::min(scale - info.leastExponent, 1 << 10);
    uint64_t magnitude = (uint64_t(above) << info.mantissa) + kept;
    if (magnitude > info.greatest) {
      bool isInfinite = !encoding.isSaturated &&
                        roundsAway(encoding.rounding, isNegative, true, 3);
      magnitude = isInfinite ? info.infinity : info.greatest;
    }
    bits = uint32_t(magnitude);
  }
  return (uint32_t(isNegative) << (info.bits - 1) | bits) << info.shift;
}

uint32_t encode(double value, Encoding encoding) {
  const FormatInfo &info = formats[unsigned(encoding.format)];
  if (std::isnan(value))
    return info.nan;
  bool isNegative = std::signbit(value);
  if (std::isinf(value)) {
    uint32_t bits = encoding.isSaturated ? info.greatest : info.infinity;
    return (uint32_t(isNegative) << (info.bits - 1) | bits) << info.shift;
  }
  uint64_t bits = llvm::bit_cast<uint64_t>(value);
  int field = bits >> 52 & 0x7ff;
  uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  uint64_t implicit = field ? uint64_t(1) << 52 : 0;
  return encode(isNegative, implicit | fraction, std::max(field, 1) - 1075,
                encoding);
}

double decode(uint32_t bits, Format format) {
  const FormatInfo &info = formats[unsigned(format)];
  bits >>= info.shift;
  uint32_t magnitude = bits & ((1u << (info.bits - 1)) - 1);
  uint32_t field = magnitude >> info.mantissa;
  uint32_t fraction = magnitude & ((1u << info.mantissa) - 1);
  double value = NAN;
  if (magnitude <= info.greatest)
    value = std::ldexp(
        double(field ? fraction | 1u << info.mantissa : fraction),
        int(std::max(field, 1u)) - 1 + info.leastExponent - int(info.mantissa));
  else if (magnitude == info.infinity && info.infinity != info.nan)
    value = INFINITY;
  return bits >> (info.bits - 1) & 1 ? -value : value;
}

namespace {

uint32_t encodeF64(double value, uint32_t encoding) {
  return encode(value, Encoding::unpack(encoding));
}
uint32_t encodeS64(int64_t value, uint32_t encoding) {
  uint64_t magnitude = value < 0 ? 0 - uint64_t(value) : uint64_t(value);
  return encode(value < 0, magnitude, 0, Encoding::unpack(encoding));
}
uint32_t encodeU64(uint64_t value, uint32_t encoding) {
  return encode(false, value, 0, Encoding::unpack(encoding));
}

const std::pair<const char *, void *> functions[] = {
    {"tc_emulator_encode_f64", reinterpret_cast<void *>(&encodeF64)},
    {"tc_emulator_encode_s64", reinterpret_cast<void *>(&encodeS64)},
    {"tc_emulator_encode_u64", reinterpret_cast<void *>(&encodeU64)},
};

} // namespace

llvm::ArrayRef<std::pair<const char *, void *>> getFormatFunctions() {
  return functions;
}

} // namespace tc::emulator
