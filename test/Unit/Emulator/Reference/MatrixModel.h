//===- MatrixModel.h - Matrices in fragments, by the document ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragment layouts as the PTX ISA document, section 9.7.14.5, writes them, and
// what the bits of an element mean. Written apart from the emulator's formula.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_EMULATOR_MATRIXMODEL_H
#define TC_TEST_UNIT_EMULATOR_MATRIXMODEL_H

#include "Steps.h"
#include "Warp/Matrix.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <functional>
#include <map>

namespace tc::emulator::test {

using warp::Element;
using warp::Fragment;

//===----------------------------------------------------------------------===//
// Layouts as the document has them
//===----------------------------------------------------------------------===//

struct RowColumn {
  int row, column;
};

/// The formulas of one shape and type; g is groupID, t threadID_in_group, i the
/// element's index.
using Formula = RowColumn (*)(int g, int t, int i);

struct Layout {
  const char *shape;
  const char *types; ///< "d.a.b.c"
  const char *suffix;
  Formula a, b, c;
};

inline RowColumn accumulator8(int g, int t, int i) { return {g, t * 2 + i}; }
inline RowColumn accumulator16(int g, int t, int i) {
  return {i < 2 ? g : g + 8, t * 2 + (i & 1)};
}

inline const Layout layouts[] = {
    {"m8n8k4", "f64.f64.f64.f64", "",
     [](int g, int t, int) { return RowColumn{g, t}; },
     [](int g, int t, int) { return RowColumn{t, g}; }, accumulator8},
    {"m16n8k4", "f32.tf32.tf32.f32", "",
     [](int g, int t, int i) { return RowColumn{i == 0 ? g : g + 8, t}; },
     [](int g, int t, int) { return RowColumn{t, g}; }, accumulator16},
    {"m16n8k4", "f64.f64.f64.f64", "",
     [](int g, int t, int i) { return RowColumn{i == 0 ? g : g + 8, t}; },
     [](int g, int t, int) { return RowColumn{t, g}; }, accumulator16},
    {"m16n8k8", "f32.f16.f16.f32", "",
     [](int g, int t, int i) {
       return RowColumn{i < 2 ? g : g + 8, t * 2 + (i & 1)};
     },
     [](int g, int t, int i) { return RowColumn{t * 2 + i, g}; },
     accumulator16},
    {"m16n8k8", "f32.tf32.tf32.f32", "",
     [](int g, int t, int i) {
       return RowColumn{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](int g, int t, int i) { return RowColumn{i == 0 ? t : t + 4, g}; },
     accumulator16},
    {"m16n8k8", "f64.f64.f64.f64", "",
     [](int g, int t, int i) {
       return RowColumn{i == 0 || i == 2 ? g : g + 8, i < 2 ? t : t + 4};
     },
     [](int g, int t, int i) { return RowColumn{i == 0 ? t : t + 4, g}; },
     accumulator16},
    {"m16n8k16", "f32.bf16.bf16.f32", "",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 2) || (4 <= i && i < 6);
       return RowColumn{isUpper ? g : g + 8,
                        i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
     },
     accumulator16},
    {"m16n8k16", "f16.f16.f16.f16", "",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 2) || (4 <= i && i < 6);
       return RowColumn{isUpper ? g : g + 8,
                        i < 4 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 2 ? t * 2 + (i & 1) : t * 2 + (i & 1) + 8, g};
     },
     accumulator16},
    {"m16n8k16", "f64.f64.f64.f64", "",
     [](int g, int t, int i) {
       return RowColumn{i % 2 == 0 ? g : g + 8,
                        i % 2 == 0 ? i * 2 + t : i * 2 - 2 + t};
     },
     [](int g, int t, int i) { return RowColumn{t + i * 4, g}; },
     accumulator16},
    {"m8n8k16", "s32.s8.u8.s32", "",
     [](int g, int t, int i) { return RowColumn{g, t * 4 + i}; },
     [](int g, int t, int i) { return RowColumn{t * 4 + i, g}; }, accumulator8},
    {"m16n8k16", "s32.u8.s8.s32", "",
     [](int g, int t, int i) {
       return RowColumn{i < 4 ? g : g + 8, t * 4 + (i & 3)};
     },
     [](int g, int t, int i) { return RowColumn{t * 4 + i, g}; },
     accumulator16},
    {"m16n8k16", "f32.e4m3.e5m2.f32", "",
     [](int g, int t, int i) {
       return RowColumn{i < 4 ? g : g + 8, t * 4 + (i & 3)};
     },
     [](int g, int t, int i) { return RowColumn{t * 4 + i, g}; },
     accumulator16},
    {"m16n8k32", "s32.s8.s8.s32", "",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 4) || (8 <= i && i < 12);
       return RowColumn{isUpper ? g : g + 8,
                        i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
     },
     accumulator16},
    {"m16n8k32", "f16.e5m2.e4m3.f16", "",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 4) || (8 <= i && i < 12);
       return RowColumn{isUpper ? g : g + 8,
                        i < 8 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 4 ? t * 4 + (i & 3) : t * 4 + (i & 3) + 16, g};
     },
     accumulator16},
    {"m8n8k32", "s32.s4.u4.s32", "",
     [](int g, int t, int i) { return RowColumn{g, t * 8 + i}; },
     [](int g, int t, int i) { return RowColumn{t * 8 + i, g}; }, accumulator8},
    {"m16n8k32", "s32.u4.s4.s32", "",
     [](int g, int t, int i) {
       return RowColumn{i < 8 ? g : g + 8, t * 8 + (i & 7)};
     },
     [](int g, int t, int i) { return RowColumn{t * 8 + i, g}; },
     accumulator16},
    {"m16n8k64", "s32.s4.s4.s32", "",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 8) || (16 <= i && i < 24);
       return RowColumn{isUpper ? g : g + 8,
                        i < 16 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 8 ? t * 8 + (i & 7) : t * 8 + (i & 7) + 32, g};
     },
     accumulator16},
    {"m8n8k128", "s32.b1.b1.s32", ".xor.popc",
     [](int g, int t, int i) { return RowColumn{g, t * 32 + i}; },
     [](int g, int t, int i) { return RowColumn{t * 32 + i, g}; },
     accumulator8},
    {"m16n8k128", "s32.b1.b1.s32", ".and.popc",
     [](int g, int t, int i) {
       return RowColumn{i < 32 ? g : g + 8, t * 32 + (i & 31)};
     },
     [](int g, int t, int i) { return RowColumn{t * 32 + i, g}; },
     accumulator16},
    {"m16n8k256", "s32.b1.b1.s32", ".xor.popc",
     [](int g, int t, int i) {
       bool isUpper = (0 <= i && i < 32) || (64 <= i && i < 96);
       return RowColumn{isUpper ? g : g + 8,
                        i < 64 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128};
     },
     [](int g, int t, int i) {
       return RowColumn{i < 32 ? t * 32 + (i & 31) : t * 32 + (i & 31) + 128,
                        g};
     },
     accumulator16},
};

/// A formula by lane, as Fragment has it.
using LaneFormula = std::function<warp::Place(unsigned lane, unsigned i)>;

inline LaneFormula byLane(Formula formula) {
  return [formula](unsigned lane, unsigned i) {
    RowColumn at = formula(lane >> 2, lane % 4, i);
    return warp::Place{0, uint16_t(at.row), uint16_t(at.column)};
  };
}

/// Section 9.7.14.5.1: `mma.m8n8k4` for .f16, four products at once.
inline LaneFormula quads(char matrix, bool isRow, bool isF32 = false) {
  return [=](unsigned lane, unsigned i) {
    unsigned copy = lane % 16 / 4, low = lane % 4 + (lane < 16 ? 0 : 4);
    unsigned row = 0, column = 0;
    if (matrix == 'a') {
      row = isRow ? low : i % 4 + (lane < 16 ? 0 : 4);
      column = isRow ? i : lane % 4;
    } else if (matrix == 'b') {
      row = isRow ? lane % 4 : i;
      column = isRow ? i + (lane < 16 ? 0 : 4) : low;
    } else if (isF32) {
      unsigned x = (lane & 1) + (i & 2);
      row = lane < 16 ? x : x + 4;
      column = (i & 4) + (lane & 2) + (i & 1);
    } else {
      row = low;
      column = i;
    }
    return warp::Place{uint16_t(copy), uint16_t(row), uint16_t(column)};
  };
}

//===----------------------------------------------------------------------===//
// Matrices in fragments, by those formulas
//===----------------------------------------------------------------------===//

struct ElementModel {
  unsigned bits;
  bool isReal, isSigned;
};

inline ElementModel modelOf(Element element) {
  switch (element) {
  case Element::F16:
  case Element::BF16:
    return {16, true, true};
  case Element::TF32:
  case Element::F32:
    return {32, true, true};
  case Element::F64:
    return {64, true, true};
  case Element::E4M3:
  case Element::E5M2:
    return {8, true, true};
  case Element::S8:
    return {8, false, true};
  case Element::U8:
    return {8, false, false};
  case Element::S4:
    return {4, false, true};
  case Element::U4:
    return {4, false, false};
  case Element::B1:
    return {1, false, false};
  case Element::S32:
    return {32, false, true};
  }
  return {};
}

/// Sign, exponent and fraction of a small format, by their meaning.
inline double readReal(uint64_t bits, unsigned width, unsigned fraction) {
  unsigned exponentBits = width - 1 - fraction;
  int bias = (1 << (exponentBits - 1)) - 1;
  uint64_t mantissa = bits & ((1ull << fraction) - 1);
  int exponent = int(bits >> fraction & ((1u << exponentBits) - 1));
  double value =
      exponent ? std::ldexp(1.0 + std::ldexp(double(mantissa), -int(fraction)),
                            exponent - bias)
               : std::ldexp(double(mantissa), 1 - bias - int(fraction));
  bool isE4M3 = width == 8 && fraction == 3;
  if (!isE4M3 && exponent == (1 << exponentBits) - 1)
    value = mantissa ? NAN : INFINITY;
  if (isE4M3 && (bits & 0x7f) == 0x7f)
    value = NAN;
  return bits >> (width - 1) & 1 ? -value : value;
}

inline double readElement(Element element, uint64_t bits) {
  ElementModel model = modelOf(element);
  if (element == Element::F64)
    return llvm::bit_cast<double>(bits);
  if (element == Element::F32)
    return llvm::bit_cast<float>(uint32_t(bits));
  if (element == Element::TF32)
    return llvm::bit_cast<float>(uint32_t(bits) & ~0x1fffu);
  if (model.isReal)
    return readReal(bits, model.bits,
                    element == Element::F16    ? 10
                    : element == Element::BF16 ? 7
                    : element == Element::E4M3 ? 3
                                               : 2);
  if (model.isSigned)
    return double(int64_t(bits << (64 - model.bits)) >> (64 - model.bits));
  return double(bits);
}

/// Bits of small integers and of quarters of them, which all formats have.
inline uint64_t randomElement(Element element, std::mt19937_64 &random) {
  ElementModel model = modelOf(element);
  if (!model.isReal)
    return random() & (model.bits == 32 ? 0xffff : (1u << model.bits) - 1);
  double value = (int(random() % 13) - 6) / 4.0;
  if (element == Element::F64)
    return llvm::bit_cast<uint64_t>(value);
  uint32_t single = llvm::bit_cast<uint32_t>(float(value));
  if (model.bits == 32)
    return single;
  if (element == Element::BF16)
    return single >> 16;
  // .f16 and smaller: search once.
  static std::map<std::pair<Element, double>, uint64_t> found;
  auto [entry, isNew] = found.try_emplace({element, value}, 0);
  while (isNew && readElement(element, entry->second) != value)
    ++entry->second;
  return entry->second;
}

/// A matrix, and the registers that hold it by `formula`.
struct Matrix {
  Matrix(Element element, unsigned rows, unsigned columns, unsigned copies,
         unsigned registers, const LaneFormula &formula)
      : element(element), rows(rows), columns(columns),
        bits(copies * rows * columns), registers(registers), formula(formula) {}

  void fill(std::mt19937_64 &random) {
    for (uint64_t &each : bits)
      each = randomElement(element, random);
  }
  uint64_t &at(unsigned copy, unsigned row, unsigned column) {
    return bits[(copy * rows + row) * columns + column];
  }
  double value(unsigned copy, unsigned row, unsigned column) {
    return readElement(element, at(copy, row, column));
  }
  /// Elements of one lane.
  unsigned count() const {
    return registers * (element == Element::F64 ? 64 : 32) /
           modelOf(element).bits;
  }
  template <typename Function>
  void forElements(Function function) {
    unsigned perRegister = count() / registers;
    for (unsigned lane = 0; lane < warpSize; ++lane)
      for (unsigned i = 0; i < count(); ++i) {
        warp::Place place = formula(lane, i);
        function(lane, i / perRegister, i % perRegister * modelOf(element).bits,
                 at(place.copy, place.row, place.column));
      }
  }
  std::vector<Lanes> toLanes() {
    std::vector<Lanes> lanes(registers, uniform(0));
    forElements([&](unsigned lane, unsigned reg, unsigned shift,
                    uint64_t value) { lanes[reg][lane] |= value << shift; });
    return lanes;
  }
  void fromLanes(llvm::ArrayRef<Lanes> lanes) {
    unsigned width = modelOf(element).bits;
    uint64_t mask = width == 64 ? ~0ull : (1ull << width) - 1;
    forElements(
        [&](unsigned lane, unsigned reg, unsigned shift, uint64_t &value) {
          value = lanes[reg][lane] >> shift & mask;
        });
  }

  Element element;
  unsigned rows, columns;
  std::vector<uint64_t> bits;
  unsigned registers;
  LaneFormula formula;
};

} // namespace tc::emulator::test

#endif // TC_TEST_UNIT_EMULATOR_MATRIXMODEL_H
