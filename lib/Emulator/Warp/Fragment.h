//===- Fragment.h - How a warp holds a matrix -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensor-core instructions see a matrix as a fragment: each lane of the
// warp holds some of its elements in a vector of registers. Which ones is said
// here, by one formula for all shapes and types (place), and a matrix goes from
// registers to a dense array and back.
//
// Note [Fragments]. All layouts of `mma` but one are the same in terms of
// registers. A register of a holds P neighbours of one row, so that the 32
// lanes hold a block of 8 rows by 4P columns, lane by lane in row-major order.
// The blocks of a are numbered down the columns. b is the same with rows and
// columns exchanged. c and d are blocks of 8 by 8 in the same order, a lane
// holding 2 neighbours. The fragments of `wmma`, which PTX leaves open, follow
// the formula too; the .f16 ones have room for more elements than there are and
// repeat them. The exception is `mma.m8n8k4` for .f16, which is four products
// at once, one for each two quads of lanes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_FRAGMENT_H
#define TC_LIB_EMULATOR_WARP_FRAGMENT_H

#include "Runtime/Step.h"

#include <vector>

namespace tc::emulator::warp {

/// Types of matrix elements.
// clang-format off
enum class Element : uint8_t {
  F16, BF16, TF32, F32, F64, E4M3, E5M2, S8, U8, S4, U4, B1, S32,
};
// clang-format on

/// The element type of that PTX name ("tf32").
std::optional<Element> findElement(llvm::StringRef name);
/// Width in memory, in bits. A .b1 counts as a word of 32 of them: no layout
/// ever divides one.
unsigned getBits(Element element);

/// What a matrix is in d = a * b + c; d is as c.
enum class Role : uint8_t { A, B, C };

struct Place {
  uint16_t copy, row, column;
};

struct Fragment {
  Fragment() = default;
  /// `rows` by `columns` elements; `isQuads` and `isRowMajor` are for
  /// `mma.m8n8k4` for .f16. `registers` of 0 stands for as many as it takes.
  Fragment(Role role, Element element, unsigned rows, unsigned columns,
           bool isQuads = false, bool isRowMajor = true,
           unsigned registers = 0);

  /// Where element `index` of a lane's is in the matrix; register r has those
  /// from r * perRegister, its lowest bits first.
  Place place(unsigned lane, unsigned index) const;

  Role role = Role::A;
  Element element = Element::F16;
  bool isQuads = false, isRowMajor = true;
  uint16_t rows = 0, columns = 0;
  uint16_t copies = 1;     ///< products done at once
  uint8_t registers = 0;   ///< of a lane
  uint8_t distinct = 0;    ///< those after them repeat
  uint8_t perRegister = 1; ///< elements in one
  uint8_t chunk = 1;       ///< as many elements are neighbours in both orders
  /// For each chunk, in order of register, lane, and element within the
  /// register: its place in the dense array (copy, row, column).
  std::vector<uint16_t> offsets;
};

/// Bits of one register.
inline unsigned getRegisterBits(Element element) {
  return element == Element::F64 ? 64 : 32;
}

/// The most elements that a matrix has: .s4 with m16n8k64.
constexpr unsigned maxElements = 1024;

/// From registers to the dense array: reals as double, integers as int32_t.
void decode(const Fragment &fragment, llvm::ArrayRef<Lanes> registers,
            double *dense);
void decode(const Fragment &fragment, llvm::ArrayRef<Lanes> registers,
            int32_t *dense);
/// The elements in memory, of types up to 32 bits; `words` is a multiple of 32.
void expandWords(Element element, const char *bytes, unsigned words,
                 double *out);
void expandWords(Element element, const char *bytes, unsigned words,
                 int32_t *out);
/// And back, for the types of c: .f16, .f32 and .f64, and .s32. Reals are
/// rounded once, to nearest even.
void encode(const Fragment &fragment, const double *dense,
            llvm::MutableArrayRef<Lanes> registers);
void encode(const Fragment &fragment, const int32_t *dense,
            llvm::MutableArrayRef<Lanes> registers);

} // namespace tc::emulator::warp

#endif // TC_LIB_EMULATOR_WARP_FRAGMENT_H
