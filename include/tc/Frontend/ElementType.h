//===- ElementType.h - Elements of a contraction ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the elements of a contraction's operands may be, in text and in MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_ELEMENTTYPE_H
#define TC_FRONTEND_ELEMENTTYPE_H

#include "tc/Arrays/ElementType.h"

#include "mlir/IR/Types.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace mlir::tc {

/// The type of that name; the error lists what a contraction may have.
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
