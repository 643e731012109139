//===- BuildEinsumTest.cpp - The contraction of an einsum -----------------===//
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

std::string print(const EinsumProblem &problem, StringRef name = "kernel") {
  MLIRContext context;
  auto module = buildEinsum(&context, problem, name);
  if (!module)
    return "error: " + toString(module.takeError());
  EXPECT_TRUE(succeeded(verify(**module)));
  std::string text;
  raw_string_ostream stream(text);
  (*module)->print(stream);
  return text;
}

std::string build(StringRef einsum, StringRef sizes, const ElementTypes &types,
                  StringRef name = "kernel") {
  return print(cantFail(makeProblem(cantFail(parseEinsum(einsum)),
                                    cantFail(parseSizes(sizes)), types)),
               name);
}

std::string buildFrom(StringRef einsum, StringRef operands) {
  return print(cantFail(makeProblem(
      cantFail(parseEinsum(einsum)),
      cantFail(parseOperands(operands, "operands")), ElementTypes())));
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

TEST(BuildEinsumTest, HasEveryElementType) {
  const std::pair<StringRef, StringRef> cases[] = {
      {"i1", "%arg0[i] : memref<2xi1>) outs(%arg1[i] : memref<2xi1>)"},
      {"i8", "%arg0[i] : memref<2xi8>) outs(%arg1[i] : memref<2xi32>)"},
      {"i64", "outs(%arg1[i] : memref<2xi64>)"},
      {"bf16", "outs(%arg1[i] : memref<2xbf16>)"},
      {"f8e4m3",
       "%arg0[i] : memref<2xf8E4M3FN>) outs(%arg1[i] : memref<2xf32>)"},
      {"f8e5m2->f8e5m2", "outs(%arg1[i] : memref<2xf8E5M2>)"},
      {"c64", "%arg0[i] : memref<2xcomplex<f32>>)"},
      {"c128->c64", "outs(%arg1[i] : memref<2xcomplex<f32>>)"}};
  for (auto [types, text] : cases)
    EXPECT_TRUE(contains(
        build("i->i", "i=2", cantFail(parseElementTypes(types, ""))), text))
        << types.str();
  EXPECT_TRUE(contains(
      build("i,i->", "i=2", cantFail(parseElementTypes("f16,f32->f64", "f64"))),
      "(i = 2) ins(%arg0[i] : memref<2xf16>, %arg1[i] : memref<2xf32>) "
      "outs(%arg2[] : memref<f64>) overwrite accumulate(f64)"));
}

TEST(BuildEinsumTest, NamesTheDimensionsOfAnEllipsis) {
  EXPECT_TRUE(contains(
      buildFrom("...ij,jk", "[[7, 2, 3], [3, 4]]"),
      "tc.contract (e0 = 7, i = 2, k = 4, j = 3) "
      "ins(%arg0[e0, i, j] : memref<7x2x3xf32>, %arg1[j, k] : memref<3x4xf32>) "
      "outs(%arg2[e0, i, k] : memref<7x2x4xf32>) overwrite"));
}

TEST(BuildEinsumTest, RepeatsDimensionsOfOneElement) {
  std::string text = buildFrom("...i,i...", "[[5, 1], [4, 1]]");
  EXPECT_TRUE(contains(text, "(e0 = 5, i = 4) ins(%arg0[e0, 0] : "
                             "memref<5x1xf32>, %arg1[i, 0] : memref<4x1xf32>)"))
      << text;
}

TEST(BuildEinsumTest, ViewsBuffersOfOperandsWithStrides) {
  std::string text =
      buildFrom("ij->i", R"({"inputs": [{"shape": [3, 4], "strides": [-4, 0],
                               "offset": 9}],
                   "result": {"strides": [2], "elements": 6,
                              "dtype": "f64"}})");
  EXPECT_TRUE(contains(text, "(%arg0: memref<10xf32>, %arg1: memref<6xf64>)"))
      << text;
  EXPECT_TRUE(contains(text, "tc.view %arg0")) << text;
  EXPECT_TRUE(contains(text, "tc.view %arg1")) << text;
}

TEST(BuildEinsumTest, ReadsDynamicExtentsOffTheArguments) {
  std::string text = build("ij,jk", "i=?,j=3,k=?", ElementType::f32);
  EXPECT_TRUE(contains(text, "(%arg0: memref<?x3xf32>, %arg1: memref<3x?xf32>, "
                             "%arg2: memref<?x?xf32>)"))
      << text;
  EXPECT_TRUE(contains(text, "memref.dim %arg0, %c0")) << text;
  EXPECT_TRUE(contains(text, "memref.dim %arg1, %c1")) << text;
  EXPECT_TRUE(contains(text, "tc.contract (i = %dim, k = %dim_0, j = 3)"))
      << text;
}

} // namespace
