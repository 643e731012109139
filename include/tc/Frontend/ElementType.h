//===- ElementType.h - What elements may be ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of element types: their names here, in MLIR and in NumPy, and
// the arithmetic they have.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_ELEMENTTYPE_H
#define TC_FRONTEND_ELEMENTTYPE_H

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

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
/// The same for a contraction; the error lists what it may have.
llvm::Expected<ElementType> parseElementType(llvm::StringRef name);

/// The element as MLIR has it (a signless integer for i8 to i64), and back.
Type toMLIR(MLIRContext *context, ElementType type);
std::optional<ElementType> findElementType(Type type);

/// The smallest type that both convert to: the wider of two floats or of two
/// integers (f32 for two floats of one width), a float before an integer, a
/// complex number before either.
ElementType promote(ElementType a, ElementType b);

/// Types of a contraction: of each input (one for all, where there is but one),
/// of the result, and of the sums; and how exact products of f32 have to be.
struct ElementTypes {
  llvm::SmallVector<ElementType> inputs;
  ElementType result = ElementType::f32;
  std::optional<ElementType> accumulator; ///< that of the dialect when empty
  std::string precision; ///< as listPrecisions() has it, or empty

  ElementTypes(ElementType all);
  ElementTypes() : ElementTypes(ElementType::f32) {}
};

/// The result of a contraction of inputs of one type: i32 for i8 and i16, f32
/// for f8e4m3 and f8e5m2, else the type itself.
ElementType resultOf(ElementType input);

/// Reads "f16", "f16->f32", "f16,f32" or "f16,f32->f32"; `accumulator` and
/// `precision` may be empty. Errors point at the column.
llvm::Expected<ElementTypes> parseElementTypes(llvm::StringRef text,
                                               llvm::StringRef accumulator,
                                               llvm::StringRef precision = "");
} // namespace mlir::tc

#endif // TC_FRONTEND_ELEMENTTYPE_H
