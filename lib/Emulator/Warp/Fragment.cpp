//===- Fragment.cpp - How a warp holds a matrix ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts, and conversion of elements from bits and to bits.
//
//===----------------------------------------------------------------------===//

#include "Warp/Fragment.h"
#include "Warp/HostVectors.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstring>

namespace tc::emulator::warp {

namespace {
struct ElementInfo {
  const char *name;
  unsigned bits;
};

/// In the order of `Element`.
constexpr ElementInfo elementTable[] = {
    {"f16", 16}, {"bf16", 16}, {"tf32", 32}, {"f32", 32}, {"f64", 64},
    {"e4m3", 8}, {"e5m2", 8},  {"s8", 8},    {"u8", 8},   {"s4", 4},
    {"u4", 4},   {"b1", 32},   {"s32", 32},
};
} // namespace

std::optional<Element> findElement(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(elementTable); ++i)
    if (name == elementTable[i].name)
      return Element(i);
  return std::nullopt;
}

unsigned getBits(Element element) {
  return elementTable[unsigned(element)].bits;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

Fragment::Fragment(Role role, Element element, unsigned rows, unsigned columns,
                   bool isQuads, bool isRowMajor, unsigned registers)
    : role(role), element(element), isQuads(isQuads), isRowMajor(isRowMajor),
      rows(rows), columns(columns), copies(isQuads ? 4 : 1) {
  perRegister = getRegisterBits(element) / getBits(element);
  distinct = rows * columns * copies / (warpSize * perRegister);
  this->registers = registers ? registers : distinct;
  std::vector<uint16_t> places;
  for (unsigned reg = 0; reg < distinct; ++reg)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < perRegister; ++i) {
        Place at = place(lane, reg * perRegister + i);
        places.push_back((at.copy * rows + at.row) * columns + at.column);
      }
  auto isChunked = [&](unsigned size) {
    for (size_t i = 0; i < places.size(); ++i)
      if (places[i] != places[i - i % size] + i % size)
        return false;
    return true;
  };
  chunk = isChunked(8) ? 8 : isChunked(4) ? 4 : 1;
  for (size_t i = 0; i < places.size(); i += chunk)
    offsets.push_back(places[i]);
}

/// PTX ISA, section 9.7.14.5.1. The two quads of a product are 16 lanes apart,
/// and hold its upper and its lower half.
static Place placeInQuads(const Fragment &f, unsigned lane, unsigned index) {
  unsigned half = lane < 16 ? 0 : 4;
  Place at{uint16_t(lane % 16 / 4), 0, 0};
  unsigned across = lane % 4 + half, along = index;
  if (f.role == Role::C && f.element == Element::F32) {
    across = (lane & 1) + (index & 2) + half;
    along = (index & 4) + (lane & 2) + (index & 1);
  } else if (f.role != Role::C && f.isRowMajor != (f.role == Role::A)) {
    across = index + half;
    along = lane % 4;
  }
  at.row = f.role == Role::B ? along : across;
  at.column = f.role == Role::B ? across : along;
  return at;
}

Place Fragment::place(unsigned lane, unsigned index) const {
  index %= distinct * perRegister;
  if (isQuads)
    return placeInQuads(*this, lane, index);
  unsigned group = lane / 4, member = lane % 4;
  unsigned reg = index / perRegister, within = index % perRegister;
  if (role == Role::C) {
    unsigned block = index / 2, down = rows / 8;
    return {0, uint16_t(group + 8 * (block % down)),
            uint16_t(8 * (block / down) + 2 * member + index % 2)};
  }
  unsigned width = 4 * perRegister;
  if (role == Role::A) {
    unsigned down = rows / 8;
    return {0, uint16_t(group + 8 * (reg % down)),
            uint16_t(width * (reg / down) + member * perRegister + within)};
  }
  unsigned down = rows / width;
  return {0, uint16_t(width * (reg % down) + member * perRegister + within),
          uint16_t(group + 8 * (reg / down))};
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

namespace {

TC_INLINE float halfToFloat(uint16_t bits) {
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  // The exponent's bias differs by 112; infinities and NaNs keep theirs.
  float scaled = llvm::bit_cast<float>(magnitude) * 0x1p112f;
  uint32_t special = magnitude | 0x7f800000;
  uint32_t value =
      magnitude < (31u << 23) ? llvm::bit_cast<uint32_t>(scaled) : special;
  return llvm::bit_cast<float>(value | uint32_t(bits & 0x8000) << 16);
}

/// To nearest even: adding a number whose last place is the result's rounds.
TC_INLINE uint16_t doubleToHalf(double value) {
  double magnitude = std::fabs(value);
  double power = llvm::bit_cast<double>(llvm::bit_cast<uint64_t>(magnitude) &
                                        0x7ff0000000000000);
  power = power < 0x1p-14 ? 0x1p-14 : power > 0x1p16 ? 0x1p16 : power;
  double shift = power * 0x1.8p42;
  float rounded = float((magnitude + shift) - shift);
  uint32_t bits = llvm::bit_cast<uint32_t>(rounded * 0x1p-112f) >> 13;
  bits = rounded >= 65536.0f ? 0x7c00 : bits;
  bits = value != value ? 0x7fff : bits;
  return bits | (value != value || !std::signbit(value) ? 0 : 0x8000);
}

/// 8-bit floating point: .e5m2 is the upper half of a .f16; .e4m3 has no
/// infinities and two NaNs.
TC_INLINE float quarterToFloat(uint8_t bits, bool isE5M2) {
  if (isE5M2)
    return halfToFloat(uint16_t(bits) << 8);
  if ((bits & 0x7f) == 0x7f)
    return llvm::bit_cast<float>(0x7fffffffu);
  float value = llvm::bit_cast<float>(uint32_t(bits & 0x7f) << 20) * 0x1p120f;
  return bits & 0x80 ? -value : value;
}

/// The elements of as many words as a warp has lanes, in order.
template <typename T>
TC_INLINE void expand(Element element, const uint32_t (&words)[warpSize],
                      T *out) {
  uint16_t halves[2 * warpSize];
  uint8_t bytes[4 * warpSize];
  std::memcpy(halves, words, sizeof halves);
  std::memcpy(bytes, words, sizeof bytes);
  switch (element) {
  case Element::F16:
    for (unsigned i = 0; i < 2 * warpSize; ++i)
      out[i] = T(halfToFloat(halves[i]));
    return;
  case Element::BF16:
    for (unsigned i = 0; i < 2 * warpSize; ++i)
      out[i] = T(llvm::bit_cast<float>(uint32_t(halves[i]) << 16));
    return;
  case Element::TF32:
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = T(llvm::bit_cast<float>(words[i] & 0xffffe000));
    return;
  case Element::F32:
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = T(llvm::bit_cast<float>(words[i]));
    return;
  case Element::E4M3:
  case Element::E5M2:
    for (unsigned i = 0; i < 4 * warpSize; ++i)
      out[i] = T(quarterToFloat(bytes[i], element == Element::E5M2));
    return;
  case Element::S8:
    for (unsigned i = 0; i < 4 * warpSize; ++i)
      out[i] = T(int8_t(bytes[i]));
    return;
  case Element::U8:
    for (unsigned i = 0; i < 4 * warpSize; ++i)
      out[i] = T(bytes[i]);
    return;
  case Element::S4:
    for (unsigned i = 0; i < 8 * warpSize; ++i)
      out[i] = T(int8_t(bytes[i / 2] << (i % 2 ? 0 : 4)) >> 4);
    return;
  case Element::U4:
    for (unsigned i = 0; i < 8 * warpSize; ++i)
      out[i] = T(bytes[i / 2] >> (i % 2 * 4) & 15);
    return;
  case Element::B1:
  case Element::S32:
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = T(int32_t(words[i]));
    return;
  case Element::F64:
    return; // not of words
  }
}

/// The elements of one register in all lanes, in order.
template <typename T>
TC_INLINE void expand(Element element, const Lanes &lanes, T *out) {
  if (element == Element::F64) {
    for (unsigned i = 0; i < warpSize; ++i)
      out[i] = T(llvm::bit_cast<double>(lanes[i]));
    return;
  }
  uint32_t words[warpSize];
  for (unsigned lane = 0; lane < warpSize; ++lane)
    words[lane] = uint32_t(lanes[lane]);
  expand(element, words, out);
}

/// A result that is no number has one form.
TC_INLINE uint32_t floatBits(double value) {
  return value != value ? 0x7fffffff : llvm::bit_cast<uint32_t>(float(value));
}

/// The opposite, for the types of c.
template <typename T>
TC_INLINE void pack(Element element, const T *in, Lanes &lanes) {
  for (unsigned i = 0; i < warpSize; ++i) {
    if (element == Element::F16)
      lanes[i] = doubleToHalf(in[2 * i]) | uint32_t(doubleToHalf(in[2 * i + 1]))
                                               << 16;
    else if (element == Element::F32)
      lanes[i] = floatBits(in[i]);
    else if (element == Element::F64)
      lanes[i] = llvm::bit_cast<uint64_t>(double(in[i]));
    else
      lanes[i] = uint32_t(int32_t(in[i]));
  }
}

/// Copies chunks between the registers' order and the dense array.
template <unsigned size, bool toDense, typename T>
TC_INLINE void permute(const Fragment &f, unsigned reg, T *linear, T *dense) {
  unsigned chunks = warpSize * f.perRegister / size;
  const uint16_t *offsets = f.offsets.data() + reg * chunks;
  for (unsigned i = 0; i < chunks; ++i) {
    T *at = dense + offsets[i], *from = linear + i * size;
    std::memcpy(toDense ? at : from, toDense ? from : at, size * sizeof(T));
  }
}

template <bool toDense, typename T>
TC_INLINE void permute(const Fragment &f, unsigned reg, T *linear, T *dense) {
  if (f.chunk == 8)
    permute<8, toDense>(f, reg, linear, dense);
  else if (f.chunk == 4)
    permute<4, toDense>(f, reg, linear, dense);
  else
    permute<1, toDense>(f, reg, linear, dense);
}

template <typename T>
TC_INLINE void decodeAll(const Fragment &f, llvm::ArrayRef<Lanes> registers,
                         T *dense) {
  T linear[8 * warpSize];
  for (unsigned reg = 0; reg < f.distinct; ++reg) {
    expand(f.element, registers[reg], linear);
    permute<true>(f, reg, linear, dense);
  }
}

template <typename T>
TC_INLINE void encodeAll(const Fragment &f, const T *dense,
                         llvm::MutableArrayRef<Lanes> registers) {
  T linear[2 * warpSize];
  for (unsigned reg = 0; reg < f.registers; ++reg) {
    permute<false>(f, reg % f.distinct, linear, const_cast<T *>(dense));
    pack(f.element, linear, registers[reg]);
  }
}

} // namespace

TC_HOST_VECTORS void decode(const Fragment &f, llvm::ArrayRef<Lanes> registers,
                            double *dense) {
  decodeAll(f, registers, dense);
}

TC_HOST_VECTORS void decode(const Fragment &f, llvm::ArrayRef<Lanes> registers,
                            int32_t *dense) {
  decodeAll(f, registers, dense);
}

template <typename T>
TC_INLINE static void expandAll(Element element, const char *bytes,
                                unsigned words, T *out) {
  for (unsigned first = 0; first < words; first += warpSize) {
    uint32_t some[warpSize];
    std::memcpy(some, bytes + first * sizeof(uint32_t), sizeof some);
    expand(element, some, out + first * 32 / getBits(element));
  }
}

TC_HOST_VECTORS void expandWords(Element element, const char *bytes,
                                 unsigned words, double *out) {
  expandAll(element, bytes, words, out);
}

TC_HOST_VECTORS void expandWords(Element element, const char *bytes,
                                 unsigned words, int32_t *out) {
  expandAll(element, bytes, words, out);
}

TC_HOST_VECTORS void encode(const Fragment &f, const double *dense,
                            llvm::MutableArrayRef<Lanes> registers) {
  encodeAll(f, dense, registers);
}

TC_HOST_VECTORS void encode(const Fragment &f, const int32_t *dense,
                            llvm::MutableArrayRef<Lanes> registers) {
  encodeAll(f, dense, registers);
}

} // namespace tc::emulator::warp
