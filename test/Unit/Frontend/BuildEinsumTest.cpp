//===- BuildEinsumTest.cpp - The linalg module of an einsum ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/BuildEinsum.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

std::string build(StringRef einsum, StringRef sizes, ElementType type,
                  StringRef name = "kernel") {
  MLIRContext context;
  auto module = buildEinsum(&context, cantFail(parseEinsum(einsum)),
                            cantFail(parseSizes(sizes)), type, name);
  if (!module)
    return "error: " + toString(module.takeError());
  EXPECT_TRUE(succeeded(verify(**module)));
  std::string text;
  raw_string_ostream stream(text);
  (*module)->print(stream);
  return text;
}

bool contains(StringRef text, StringRef part) { return text.contains(part); }

TEST(BuildEinsumTest, NamesIteratorsByTheirLabels) {
  std::string text =
      build("ik,kj->ij", "i=2,k=3,j=4", ElementType::f32, "product");
  EXPECT_TRUE(contains(text, "func.func @product(%arg0: memref<2x3xf32>, "
                             "%arg1: memref<3x4xf32>, %arg2: memref<2x4xf32>)"))
      << text;
  EXPECT_TRUE(contains(text, "tc.contract (i = 2, j = 4, k = 3) "
                             "ins(%arg0[i, k] : memref<2x3xf32>, "
                             "%arg1[k, j] : memref<3x4xf32>) "
                             "outs(%arg2[i, j] : memref<2x4xf32>) overwrite"))
      << text;
}

TEST(BuildEinsumTest, MakesDiagonalsSumsAndScalars) {
  std::string trace = build("ii->", "i=5", ElementType::f64);
  EXPECT_TRUE(contains(trace, "(i = 5) ins(%arg0[i, i] : memref<5x5xf64>) "
                              "outs(%arg1[] : memref<f64>)"))
      << trace;
  std::string three = build("a,a,A->a", "a=2,A=3", ElementType::f32);
  EXPECT_TRUE(contains(three, "(a = 2, A = 3) ins(%arg0[a] : memref<2xf32>, "
                              "%arg1[a] : memref<2xf32>, "
                              "%arg2[A] : memref<3xf32>)"))
      << three;
}

TEST(BuildEinsumTest, AllowsZeroExtents) {
  EXPECT_TRUE(contains(build("ik,kj->ij", "i=0,k=3,j=4", ElementType::f32),
                       "memref<0x3xf32>"));
}

TEST(BuildEinsumTest, RefusesNamesThatAreNoIdentifiers) {
  EXPECT_EQ(build("i->", "i=1", ElementType::f32, "a-b"),
            "error: expected a kernel name of letters, digits and '_', got "
            "'a-b'");
}

TEST(BuildEinsumTest, RefusesUnsupportedTypes) {
  EXPECT_EQ(toString(parseElementType("i8").takeError()),
            "expected element type f32 or f64, got 'i8'");
}

} // namespace
