//===- ElementTypeTest.cpp - The table of element types -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/ElementType.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

TEST(ElementTypeTest, GoesToEveryNameAndBack) {
  MLIRContext context;
  for (unsigned i = 0; i <= unsigned(ElementType::c128); ++i) {
    auto type = ElementType(i);
    EXPECT_EQ(findElementType(nameOf(type)), type);
    EXPECT_EQ(findElementType(toMLIR(&context, type)), type);
    mlir::Type part = toMLIR(&context, type);
    if (auto complex = dyn_cast<ComplexType>(part))
      EXPECT_EQ(2 * complex.getElementType().getIntOrFloatBitWidth(),
                8 * bytesOf(type));
    else if (type != ElementType::i1)
      EXPECT_EQ(part.getIntOrFloatBitWidth(), 8 * bytesOf(type));
  }
  EXPECT_EQ(findElementType("bool"), ElementType::i1);
  EXPECT_EQ(findElementType(IndexType::get(&context)), std::nullopt);
}

TEST(ElementTypeTest, KnowsTheArithmetic) {
  for (unsigned i = 0; i <= unsigned(ElementType::c128); ++i) {
    MLIRContext context;
    auto type = ElementType(i);
    auto real = dyn_cast<FloatType>(toMLIR(&context, partOf(type)));
    EXPECT_EQ(roundoffOf(type) == 0, !real);
    if (!real)
      continue;
    const fltSemantics &semantics = real.getFloatSemantics();
    EXPECT_EQ(roundoffOf(type),
              std::ldexp(1.0, -int(APFloat::semanticsPrecision(semantics))));
  }
}

TEST(ElementTypeTest, PromotesToATypeForBoth) {
  const std::tuple<StringRef, StringRef, StringRef> cases[] = {
      {"f16", "bf16", "f32"},      {"f16", "f16", "f16"},
      {"f32", "f64", "f64"},       {"i8", "i32", "i32"},
      {"i1", "i8", "i8"},          {"i64", "f16", "f16"},
      {"c64", "f32", "c64"},       {"c64", "f64", "c128"},
      {"c64", "c128", "c128"},     {"i8", "c64", "c64"},
      {"f8e4m3", "f8e5m2", "f32"}, {"f8e4m3", "f16", "f16"},
      {"bf16", "f8e5m2", "bf16"},  {"f8e5m2", "i32", "f8e5m2"}};
  for (auto [a, b, both] : cases) {
    ElementType x = *findElementType(a), y = *findElementType(b);
    EXPECT_EQ(nameOf(promote(x, y)), both) << a.str() << b.str();
    EXPECT_EQ(nameOf(promote(y, x)), both) << a.str() << b.str();
  }
}

TEST(ElementTypeTest, PrecisionIsForProductsOfOneType) {
  auto read = [](StringRef text, StringRef accumulator = "") {
    auto types = parseElementTypes(text, accumulator, "bf16x6");
    return types ? types->precision : toString(types.takeError());
  };
  EXPECT_EQ(read("f32"), "bf16x6");
  EXPECT_EQ(read("c64"), "bf16x6");
  for (StringRef text : {"f64", "c128", "c64,f32", "f32->f64", "f16->f32"})
    EXPECT_EQ(read(text), "precision: expected inputs and sums of f32, or of "
                          "c64, for bf16x6")
        << text.str();
  EXPECT_EQ(read("c64->c128", "c64"), "bf16x6");
}

TEST(ElementTypeTest, ReadsTypesOfAContraction) {
  auto read = [](StringRef text, StringRef accumulator = "") {
    auto types = parseElementTypes(text, accumulator);
    if (!types)
      return toString(types.takeError());
    std::string names;
    for (ElementType input : types->inputs)
      names += nameOf(input).str() + " ";
    return names + nameOf(types->result).str();
  };
  EXPECT_EQ(read("f16"), "f16 f16");
  EXPECT_EQ(read("i8"), "i8 i32");
  EXPECT_EQ(read("i8->i64"), "i8 i64");
  EXPECT_EQ(read("f16, bf16"), "f16 bf16 f32");
  EXPECT_EQ(read("f8e4m3"), "f8e4m3 f32");
  EXPECT_EQ(read("f8e4m3,f8e5m2"), "f8e4m3 f8e5m2 f32");
  EXPECT_EQ(read("f8e5m2,f16"), "f8e5m2 f16 f16");
  EXPECT_EQ(read("f8e5m2->f8e5m2"), "f8e5m2 f8e5m2");
  EXPECT_EQ(read("bool,f32 -> f64"), "i1 f32 f64");
  EXPECT_EQ(cantFail(parseElementTypes("i8", "")).result, ElementType::i32);
  EXPECT_EQ(cantFail(parseElementTypes("f16", "f16")).accumulator,
            ElementType::f16);
  EXPECT_EQ(read("f16,,f32").find("dtype:5: expected an element type ("), 0u);
  EXPECT_EQ(read("f16->f31").find("dtype:6: expected an element type ("), 0u);
  EXPECT_EQ(read("u8").find("dtype:1: expected an element type ("), 0u);
  EXPECT_EQ(read("f16", "x").find("accumulate:1: expected an element type"),
            0u);
}

} // namespace
