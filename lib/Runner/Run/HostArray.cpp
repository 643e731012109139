//===- HostArray.cpp - Arguments and results in host memory ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/HostArray.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"

#include <cstring>
#include <unistd.h>

using namespace mlir;

namespace mlir::tc {

llvm::Expected<NumpyArray> makeArray(Type type, ArrayRef<int64_t> shape) {
  auto shaped = dyn_cast<ShapedType>(type);
  std::optional<ElementType> element;
  if (shaped && shaped.hasRank() && !isa<VectorType>(type))
    element = findElementType(shaped.getElementType());
  if (isa<IndexType>(type)) // a scalar: an array without dimensions
    element = ElementType::i64;
  if (!element)
    return llvm::createStringError("expected a memref or tensor of numbers, "
                                   "got " +
                                   llvm::to_string(type));
  if (shape.empty() && shaped)
    shape = shaped.getShape();
  if (llvm::is_contained(shape, dynamicExtent))
    return llvm::createStringError("expected a value for each dynamic extent "
                                   "of " +
                                   llvm::to_string(type));
  std::optional<int64_t> bytes = countBytes(*element, shape);
  if (!bytes || *bytes > physicalMemory())
    return llvm::createStringError("expected an array that fits into the "
                                   "memory of this machine, got " +
                                   llvm::to_string(type));
  NumpyArray array;
  array.type = *element;
  array.shape.assign(shape.begin(), shape.end());
  array.bytes.resize(*bytes);
  return array;
}

llvm::Error takeExtents(SmallVectorImpl<int64_t> &shape,
                        const NumpyArray &array, StringRef path) {
  if (array.shape.size() != shape.size())
    return llvm::createStringError("'" + path + "': expected " +
                                   Twine(shape.size()) + " dimensions, got " +
                                   Twine(array.shape.size()));
  for (auto [extent, given] : llvm::zip_equal(shape, array.shape))
    if (extent == dynamicExtent)
      extent = given;
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

llvm::Expected<BufferLayout> layoutOf(Type type, ArrayRef<int64_t> shape) {
  BufferLayout layout;
  layout.strides = BufferLayout::rowMajorStrides(shape);
  SmallVector<int64_t> strides;
  int64_t offset = 0;
  auto memref = dyn_cast<MemRefType>(type);
  if (memref && failed(memref.getStridesAndOffset(strides, offset)))
    return llvm::createStringError("expected a memref with strides, got " +
                                   llvm::to_string(type));
  for (auto [own, given] : llvm::zip(layout.strides, strides))
    if (given != ShapedType::kDynamic)
      own = given;
  if (offset != ShapedType::kDynamic)
    layout.offset = offset;
  auto span = layout.findSpan(shape);
  bool isEmpty = llvm::is_contained(shape, 0);
  if (span && span->first < 0 && !isEmpty)
    return llvm::createStringError("expected a memref that starts inside of "
                                   "its buffer, got " +
                                   llvm::to_string(type));
  if (!span || (!isEmpty && span->second >= physicalMemory()))
    return llvm::createStringError("expected a memref that fits into the "
                                   "memory of this machine, got " +
                                   llvm::to_string(type));
  layout.elements = isEmpty ? 0 : span->second + 1;
  return layout;
}

std::vector<char> toBuffer(const NumpyArray &array,
                           const BufferLayout &layout) {
  int64_t bytes = bytesOf(array.type);
  std::vector<char> buffer(layout.elements * bytes);
  const char *from = array.bytes.data();
  forEachPlace(array.shape, layout.strides, [&](int64_t place) {
    std::memcpy(&buffer[(layout.offset + place) * bytes], from, bytes);
    from += bytes;
  });
  return buffer;
}

void fromBuffer(ArrayRef<char> buffer, const BufferLayout &layout,
                NumpyArray &array) {
  int64_t bytes = bytesOf(array.type);
  char *to = array.bytes.data();
  forEachPlace(array.shape, layout.strides, [&](int64_t place) {
    std::memcpy(to, &buffer[(layout.offset + place) * bytes], bytes);
    to += bytes;
  });
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number
/// Generators, 2014): a mixing of a counter, so streams need no state.
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void fillRandomly(NumpyArray &array, uint64_t seed, uint64_t stream,
                  RandomBits bits) {
  uint64_t start = mix(mix(seed + 0x9e3779b97f4a7c15) + stream);
  ElementType part = partOf(array.type);
  unsigned bytes = bytesOf(part);
  for (size_t i = 0; i != array.bytes.size() / bytes; ++i) {
    uint64_t random = mix(start + (i + 1) * 0x9e3779b97f4a7c15);
    char *to = &array.bytes[i * bytes];
    if (kindOf(part) == ElementKind::real)
      writeNumber(part, randomReal(part, random, bits), to);
    else if (kindOf(part) == ElementKind::boolean)
      writeBits(part, random >> 62 == 0, to);
    else
      writeBits(part, int64_t(random >> 60) - 8, to);
  }
}

void setElement(NumpyArray &array, int64_t number, double value) {
  char *to = &array.bytes[number * bytesOf(array.type)];
  if (kindOf(array.type) == ElementKind::boolean)
    *to = !*to;
  else
    writeNumber(partOf(array.type), value, to);
}

Array toReference(const NumpyArray &array) {
  Array result;
  result.shape = array.shape;
  ElementKind kind = kindOf(array.type);
  result.isInteger = kind != ElementKind::real && kind != ElementKind::complex;
  ElementType part = partOf(array.type);
  unsigned bytes = bytesOf(array.type);
  result.elements.reserve(array.bytes.size() / bytes);
  for (size_t at = 0; at != array.bytes.size(); at += bytes) {
    const char *from = &array.bytes[at];
    if (result.isInteger)
      result.elements.push_back(
          Scalar::ofInteger(readInteger(array.type, from)));
    else if (kind == ElementKind::real)
      result.elements.push_back(Scalar::of(readReal(part, from)));
    else
      result.elements.push_back(
          Scalar::of({readReal(part, from), readReal(part, from + bytes / 2)}));
  }
  return result;
}

std::string formatElement(const Array &array, int64_t number) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  const Scalar &element = array.elements[number];
  if (array.isInteger)
    stream << element.integer;
  else if (element.imaginary == 0)
    stream << element.value;
  else
    stream << '(' << element.value << ", " << element.imaginary << ')';
  return text;
}

} // namespace mlir::tc
