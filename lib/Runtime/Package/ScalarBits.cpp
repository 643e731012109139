//===- ScalarBits.cpp - Numbers as scalars of a type ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Narrow floats are rounded here: not every compiler has types for them.
//
//===----------------------------------------------------------------------===//

#include "Package/ScalarBits.h"

#include "tc-runtime/tc_package.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace tc::runtime;

namespace {
/// A float of at most 16 bits.
struct NarrowFloat {
  int exponentBits, fractionBits;
  uint64_t most; ///< what is larger becomes this: infinity, or a number
  uint64_t notANumber;
};
} // namespace

static std::optional<NarrowFloat> findNarrow(DLDataType type) {
  switch (type.code) {
  case TC_CODE_FLOAT:
    if (type.bits == 16)
      return NarrowFloat{5, 10, 0x7c00, 0x7e00};
    return std::nullopt;
  case TC_CODE_BFLOAT:
    return NarrowFloat{8, 7, 0x7f80, 0x7fc0};
  case TC_CODE_FLOAT8_E4M3:
    return NarrowFloat{4, 3, 0x7e, 0x7f};
  case TC_CODE_FLOAT8_E5M2:
    return NarrowFloat{5, 2, 0x7b, 0x7e};
  default:
    return std::nullopt;
  }
}

static uint64_t roundTo(const NarrowFloat &format, double value) {
  uint64_t sign = uint64_t(std::signbit(value))
                  << (format.exponentBits + format.fractionBits);
  if (std::isnan(value))
    return sign | format.notANumber;
  if (std::isinf(value))
    return sign | format.most;
  int bias = (1 << (format.exponentBits - 1)) - 1;
  // Subnormal numbers have the exponent of the smallest normal one.
  int exponent = value == 0 ? 1 - bias : std::max(std::ilogb(value), 1 - bias);
  double steps = std::nearbyint(
      std::ldexp(std::fabs(value), format.fractionBits - exponent));
  // The leading bit of `steps`, if there is one, counts up the exponent.
  uint64_t bits = (uint64_t(exponent + bias - 1) << format.fractionBits) +
                  static_cast<uint64_t>(steps);
  return sign | std::min(bits, format.most);
}

std::optional<uint64_t> tc::runtime::scalarBits(DLDataType type, double value) {
  uint64_t bits = 0;
  if (type.code == TC_CODE_FLOAT && type.bits == 64) {
    std::memcpy(&bits, &value, sizeof(value));
    return bits;
  }
  if (type.code == TC_CODE_FLOAT && type.bits == 32) {
    auto narrow = static_cast<float>(value);
    std::memcpy(&bits, &narrow, sizeof(narrow));
    return bits;
  }
  if (std::optional<NarrowFloat> format = findNarrow(type))
    return roundTo(*format, value);
  return std::nullopt;
}

std::optional<uint64_t> tc::runtime::scalarBits(DLDataType type,
                                                int64_t value) {
  auto bits = static_cast<uint64_t>(value);
  switch (type.code) {
  case TC_CODE_INT: {
    unsigned unused = 64 - type.bits;
    auto back = static_cast<int64_t>(bits << unused) >> unused;
    if (back != value)
      return std::nullopt;
    return bits << unused >> unused;
  }
  case TC_CODE_UINT:
    if (value < 0 || (type.bits < 64 && bits >> type.bits != 0))
      return std::nullopt;
    return bits;
  case TC_CODE_BOOL:
    if (bits > 1)
      return std::nullopt;
    return bits;
  default:
    return scalarBits(type, static_cast<double>(value));
  }
}
