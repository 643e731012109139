//===- Numbers.cpp - Elements and their bytes -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Arrays/Numbers.h"

#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace llvm;

namespace mlir::tc {

int64_t physicalMemory() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
}

void writeBits(ElementType type, uint64_t bits, char *to) {
  for (unsigned i = 0; i != bytesOf(type); ++i)
    to[i] = char(bits >> (8 * i));
}

double readReal(ElementType type, const char *from) {
  if (type == ElementType::f64)
    return support::endian::read<double, endianness::little>(from);
  if (type == ElementType::f32)
    return support::endian::read<float, endianness::little>(from);
  const fltSemantics &semantics = semanticsOf(type);
  APInt bits(8 * bytesOf(type), bytesOf(type) == 1
                                    ? uint8_t(*from)
                                    : support::endian::read16le(from));
  return APFloat(semantics, bits).convertToDouble();
}

/// Writes the number of the type that is nearest to `value`, in 8 bits a finite
/// one.
static void writeReal(ElementType type, double value, char *to) {
  if (type == ElementType::f64)
    return support::endian::write<double, endianness::little>(to, value);
  if (type == ElementType::f32)
    return support::endian::write<float, endianness::little>(to, float(value));
  const fltSemantics &semantics = semanticsOf(type);
  if (bytesOf(type) == 1) {
    double most = APFloat::getLargest(semantics).convertToDouble();
    value = std::isnan(value) ? value : std::clamp(value, -most, most);
  }
  APFloat number(value);
  bool losesInfo = false;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  writeBits(type, number.bitcastToAPInt().getZExtValue(), to);
}

int64_t readInteger(ElementType type, const char *from) {
  uint64_t bits = 0;
  unsigned bytes = bytesOf(type);
  for (unsigned i = 0; i != bytes; ++i)
    bits |= uint64_t(uint8_t(from[i])) << (8 * i);
  return kindOf(type) == ElementKind::integer ? SignExtend64(bits, 8 * bytes)
                                              : int64_t(bits);
}

void writeNumber(ElementType type, double value, char *to) {
  if (kindOf(type) == ElementKind::real)
    return writeReal(type, value, to);
  writeBits(type, int64_t(value), to);
}

/// From [-1, 1): an integer of as many bits as the significand has, scaled, so
/// all of it is exact.
double randomReal(ElementType type, uint64_t random, RandomBits bits) {
  int digits = bits == RandomBits::few ? 4 : -int(std::log2(roundoffOf(type)));
  return std::ldexp(double(random >> (64 - digits)), 1 - digits) - 1;
}

} // namespace mlir::tc
