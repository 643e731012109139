//===- HostArray.cpp - Arguments and results in host memory ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArray.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <unistd.h>

using namespace mlir;

namespace mlir::tc {

std::optional<int64_t> countBytes(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape())
    return std::nullopt;
  int64_t bytes = shaped.getElementType().isF64() ? 8 : 4;
  for (int64_t extent : shaped.getShape())
    if (llvm::MulOverflow(bytes, extent, bytes))
      return llvm::is_contained(shaped.getShape(), 0)
                 ? std::optional<int64_t>(0)
                 : std::nullopt;
  return bytes;
}

int64_t physicalMemory() {
  return int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
}

llvm::Expected<NumpyArray> makeArray(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped || !shaped.hasStaticShape() ||
      !(shaped.getElementType().isF32() || shaped.getElementType().isF64()))
    return llvm::createStringError("expected a memref or tensor of static "
                                   "shape and element type f32 or f64, got " +
                                   text);
  if (auto memref = dyn_cast<MemRefType>(type);
      memref && !memref.getLayout().isIdentity())
    return llvm::createStringError("expected a memref without a layout, got " +
                                   text);
  std::optional<int64_t> bytes = countBytes(type);
  if (!bytes || *bytes > physicalMemory())
    return llvm::createStringError("expected an array that fits into the "
                                   "memory of this machine, got " +
                                   text);
  NumpyArray array;
  array.elementBytes = shaped.getElementType().isF32() ? 4 : 8;
  array.shape.assign(shaped.getShape().begin(), shaped.getShape().end());
  array.bytes.resize(*bytes);
  return array;
}

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014): a mixing of a counter, so streams need no state.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

template <typename T, unsigned bits>
static void fillAs(NumpyArray &array, uint64_t start) {
  size_t count = array.bytes.size() / sizeof(T);
  for (size_t i = 0; i != count; ++i) {
    uint64_t random = mix(start + (i + 1) * 0x9e3779b97f4a7c15);
    // An integer of `bits` bits, then scaled to [0, 2): all of it is exact.
    T unit = T(random >> (64 - bits)) / T(uint64_t(1) << (bits - 1));
    T value = unit - T(1);
    std::memcpy(&array.bytes[i * sizeof(T)], &value, sizeof(T));
  }
}

void fillRandomly(NumpyArray &array, uint64_t seed, uint64_t stream) {
  uint64_t start = mix(mix(seed + 0x9e3779b97f4a7c15) + stream);
  if (array.elementBytes == 4)
    fillAs<float, 24>(array, start);
  else
    fillAs<double, 53>(array, start);
}

template <typename T>
static void appendAs(const NumpyArray &array, std::vector<double> &values) {
  for (size_t at = 0; at != array.bytes.size(); at += sizeof(T)) {
    T value;
    std::memcpy(&value, &array.bytes[at], sizeof(T));
    values.push_back(value);
  }
}

std::vector<double> toDoubles(const NumpyArray &array) {
  std::vector<double> values;
  values.reserve(array.bytes.size() / array.elementBytes);
  if (array.elementBytes == 4)
    appendAs<float>(array, values);
  else
    appendAs<double>(array, values);
  return values;
}

} // namespace mlir::tc
