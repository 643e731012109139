//===- ElementType.cpp - What elements may be -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Arrays/ElementType.h"

using namespace llvm;

namespace mlir::tc {

namespace {
struct Row {
  ElementType type;
  StringLiteral name;
  ElementKind kind;
  unsigned bytes;
  StringLiteral numpy;
  double roundoff;
};
} // namespace

using E = ElementType;
using K = ElementKind;

static constexpr Row table[] = {
    {E::i1, "i1", K::boolean, 1, "|b1", 0},
    {E::i8, "i8", K::integer, 1, "|i1", 0},
    {E::i16, "i16", K::integer, 2, "<i2", 0},
    {E::i32, "i32", K::integer, 4, "<i4", 0},
    {E::i64, "i64", K::integer, 8, "<i8", 0},
    {E::u8, "u8", K::natural, 1, "|u1", 0},
    {E::u16, "u16", K::natural, 2, "<u2", 0},
    {E::u32, "u32", K::natural, 4, "<u4", 0},
    {E::u64, "u64", K::natural, 8, "<u8", 0},
    {E::f8e4m3, "f8e4m3", K::real, 1, "<V1", 0x1p-4},
    {E::f8e5m2, "f8e5m2", K::real, 1, "<V1", 0x1p-3},
    {E::f16, "f16", K::real, 2, "<f2", 0x1p-11},
    {E::bf16, "bf16", K::real, 2, "<V2", 0x1p-8},
    {E::f32, "f32", K::real, 4, "<f4", 0x1p-24},
    {E::f64, "f64", K::real, 8, "<f8", 0x1p-53},
    {E::c64, "c64", K::complex, 8, "<c8", 0x1p-24},
    {E::c128, "c128", K::complex, 16, "<c16", 0x1p-53},
};

static const Row &rowOf(ElementType type) { return table[unsigned(type)]; }

StringRef nameOf(ElementType type) { return rowOf(type).name; }
ElementKind kindOf(ElementType type) { return rowOf(type).kind; }
unsigned bytesOf(ElementType type) { return rowOf(type).bytes; }
StringRef numpyNameOf(ElementType type) { return rowOf(type).numpy; }
double roundoffOf(ElementType type) { return rowOf(type).roundoff; }

ElementType partOf(ElementType type) {
  if (kindOf(type) != K::complex)
    return type;
  return type == E::c64 ? E::f32 : E::f64;
}

std::optional<ElementType> findElementType(StringRef name) {
  for (const Row &row : table)
    if (row.name == name)
      return row.type;
  return name == "bool" ? std::optional(E::i1) : std::nullopt;
}

const fltSemantics &semanticsOf(ElementType type) {
  return type == ElementType::f8e4m3   ? APFloat::Float8E4M3FN()
         : type == ElementType::f8e5m2 ? APFloat::Float8E5M2()
         : type == ElementType::bf16   ? APFloat::BFloat()
         : type == ElementType::f16    ? APFloat::IEEEhalf()
         : type == ElementType::f32    ? APFloat::IEEEsingle()
                                       : APFloat::IEEEdouble();
}

} // namespace mlir::tc
