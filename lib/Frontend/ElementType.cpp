//===- ElementType.cpp - Elements of a contraction ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/ElementType.h"

#include "tc/Frontend/Einsum.h"
#include "tc/IR/TC.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace mlir::tc {

using E = ElementType;
using K = ElementKind;

llvm::Expected<ElementType> parseElementType(StringRef name) {
  std::optional<ElementType> type = findElementType(name);
  if (type && kindOf(*type) != K::natural)
    return *type;
  SmallVector<StringRef> names;
  for (ElementType known : kElementTypes)
    if (kindOf(known) != K::natural)
      names.push_back(nameOf(known));
  return llvm::createStringError("expected an element type (" +
                                 llvm::join(names, ", ") + "), got '" + name +
                                 "'");
}

Type toMLIR(MLIRContext *context, ElementType type) {
  Builder builder(context);
  switch (kindOf(type)) {
  case K::boolean:
    return builder.getI1Type();
  case K::integer:
    return builder.getIntegerType(8 * bytesOf(type));
  case K::natural:
    return builder.getIntegerType(8 * bytesOf(type), /*isSigned=*/false);
  case K::real:
    return type == E::f8e4m3   ? Type(builder.getType<Float8E4M3FNType>())
           : type == E::f8e5m2 ? Type(builder.getType<Float8E5M2Type>())
           : type == E::f16    ? Type(builder.getF16Type())
           : type == E::bf16   ? Type(builder.getBF16Type())
           : type == E::f32    ? Type(builder.getF32Type())
                               : Type(builder.getF64Type());
  case K::complex:
    return ComplexType::get(toMLIR(context, partOf(type)));
  }
  return {};
}

std::optional<ElementType> findElementType(Type type) {
  for (ElementType known : kElementTypes)
    if (toMLIR(type.getContext(), known) == type)
      return known;
  return std::nullopt;
}

ElementType promote(ElementType a, ElementType b) {
  if (a == b)
    return a;
  if (kindOf(a) < kindOf(b))
    std::swap(a, b);
  if (kindOf(a) == K::complex) // as wide as the wider part
    return bytesOf(partOf(a)) < 8 && partOf(b) == E::f64 ? E::c128 : a;
  if (kindOf(a) != kindOf(b))
    return a;
  if (bytesOf(a) == bytesOf(b)) // f16 and bf16, or two of 8 bits
    return E::f32;
  return bytesOf(a) > bytesOf(b) ? a : b;
}

ElementType resultOf(ElementType input) {
  if (kindOf(input) == K::real && bytesOf(input) == 1)
    return E::f32;
  return input == E::i8 || input == E::i16 ? E::i32 : input;
}

ElementTypes::ElementTypes(ElementType all)
    : inputs{all}, result(resultOf(all)) {}

/// Only products of f32, or of complex numbers of it, have a choice.
static llvm::Error checkPrecision(const ElementTypes &types,
                                  StringRef precision) {
  if (precision.empty() || precision == "ieee")
    return llvm::Error::success();
  if (!symbolizePrecision(precision))
    return llvm::createStringError("precision: expected " + listPrecisions() +
                                   ", got '" + precision + "'");
  ElementType sum = types.accumulator.value_or(types.result);
  if (partOf(sum) == E::f32 && llvm::all_equal(types.inputs) &&
      types.inputs.front() == sum)
    return llvm::Error::success();
  return llvm::createStringError("precision: expected inputs and sums of f32, "
                                 "or of c64, for " +
                                 precision);
}

llvm::Expected<ElementTypes>
parseElementTypes(StringRef text, StringRef accumulator, StringRef precision) {
  auto parse = [](StringRef what, StringRef text, StringRef name,
                  size_t column) -> llvm::Expected<ElementType> {
    column += name.size() - name.ltrim(' ').size();
    llvm::Expected<ElementType> type = parseElementType(name.trim(' '));
    if (type)
      return *type;
    return errorInText(what, text, column, toString(type.takeError()));
  };
  ElementTypes types;
  types.inputs.clear();
  size_t arrow = std::min(text.find("->"), text.size());
  for (size_t begin = 0; begin <= arrow;) {
    size_t comma = std::min(text.find(',', begin), arrow);
    if (llvm::Error error =
            parse("dtype", text, text.slice(begin, comma), begin)
                .moveInto(types.inputs.emplace_back()))
      return error;
    begin = comma + 1;
  }
  ElementType all = types.inputs.front();
  for (ElementType type : types.inputs)
    all = promote(all, type);
  types.result = resultOf(all);
  if (arrow != text.size()) {
    if (llvm::Error error =
            parse("dtype", text, text.drop_front(arrow + 2), arrow + 2)
                .moveInto(types.result))
      return error;
  }
  if (!accumulator.empty()) {
    if (llvm::Error error = parse("accumulate", accumulator, accumulator, 0)
                                .moveInto(types.accumulator))
      return error;
  }
  if (llvm::Error error = checkPrecision(types, precision))
    return error;
  types.precision = precision;
  return types;
}

} // namespace mlir::tc
