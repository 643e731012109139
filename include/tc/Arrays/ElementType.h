//===- ElementType.h - What elements may be ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of element types: their names here and in NumPy, and the
// arithmetic they have.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ARRAYS_ELEMENTTYPE_H
#define TC_ARRAYS_ELEMENTTYPE_H

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace mlir::tc {

/// i1 is a truth value in a byte of its own; f8e4m3 and f8e5m2 are f8E4M3FN and
/// f8E5M2 of MLIR, float8_e4m3fn and float8_e5m2 elsewhere; c64 and c128 are
/// complex numbers of two f32 or f64. The unsigned ones are for kernels from
/// elsewhere.
enum class ElementType {
  i1,
  i8,
  i16,
  i32,
  i64,
  u8,
  u16,
  u32,
  u64,
  f8e4m3,
  f8e5m2,
  f16,
  bf16,
  f32,
  f64,
  c64,
  c128
};

/// All of them, in order.
inline constexpr ElementType kElementTypes[] = {
    ElementType::i1,     ElementType::i8,     ElementType::i16,
    ElementType::i32,    ElementType::i64,    ElementType::u8,
    ElementType::u16,    ElementType::u32,    ElementType::u64,
    ElementType::f8e4m3, ElementType::f8e5m2, ElementType::f16,
    ElementType::bf16,   ElementType::f32,    ElementType::f64,
    ElementType::c64,    ElementType::c128};

enum class ElementKind { boolean, integer, natural, real, complex };

/// "bf16". NumPy's name of i1, "bool", is understood too.
llvm::StringRef nameOf(ElementType type);
ElementKind kindOf(ElementType type);
/// Bytes of one element.
unsigned bytesOf(ElementType type);
/// How a .npy file describes it ("<f4"). NumPy has no bf16 and no floats of 8
/// bits: "<V2" and "<V1", bytes of no meaning, are what the extension types of
/// ml_dtypes write (of f8e5m2 "<f1", which NumPy does not read).
llvm::StringRef numpyNameOf(ElementType type);
/// The largest relative error of one rounding to nearest; 0 for integers.
double roundoffOf(ElementType type);
/// The type of a part of a complex number, or the type itself.
ElementType partOf(ElementType type);

/// The type of that name, if there is one.
std::optional<ElementType> findElementType(llvm::StringRef name);

/// The floating-point format of a real type.
const llvm::fltSemantics &semanticsOf(ElementType type);

} // namespace mlir::tc

#endif // TC_ARRAYS_ELEMENTTYPE_H
