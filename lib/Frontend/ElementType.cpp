//===- ElementType.cpp - What elements may be -----------------------------===//
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

llvm::Expected<ElementType> parseElementType(StringRef name) {
  std::optional<ElementType> type = findElementType(name);
  if (type && kindOf(*type) != K::natural)
    return *type;
  SmallVector<StringRef> names;
  for (const Row &row : table)
    if (row.kind != K::natural)
      names.push_back(row.name);
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
  for (const Row &row : table)
    if (toMLIR(type.getContext(), row.type) == type)
      return row.type;
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
