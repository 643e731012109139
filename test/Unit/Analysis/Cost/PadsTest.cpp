//===- PadsTest.cpp - Fill values that add nothing ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over result i, contracted q (in both inputs) and r (in the first alone).
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "tc/Analysis/Staging.h"

using namespace mlir;
using namespace mlir::tc;

namespace {

/// X[i, q, r] and Y[q] into Z[i], with `regions`; `types` are the elements of
/// the three.
Program getProgram(ArrayRef<std::string> types, const std::string &regions) {
  std::string x = "memref<4x6x5x" + types[0] + ">",
              y = "memref<6x" + types[1] + ">",
              z = "memref<4x" + types[2] + ">";
  return Program({x, y, z},
                 "tc.contract (i = 4, q = 6, r = 5) ins(%0[i, q, r] : " + x +
                     ", %1[q] : " + y + ") outs(%2[i] : " + z + ") " + regions);
}

/// The fills, and which of q and r they cover; i is always covered.
std::string describe(Program &program) {
  Pads pads = findPads(program.op);
  EXPECT_TRUE(pads.covers[0]);
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::interleave(pads.values, stream, " ");
  for (unsigned i = 1; i < pads.covers.size(); ++i)
    if (pads.covers[i])
      stream << " " << program.op.getIterator(i);
  return text;
}

std::string describe(ArrayRef<std::string> types, const std::string &regions) {
  Program program = getProgram(types, regions);
  return describe(program);
}

/// `neutral(..) map {op} combine {op}` of one type.
std::string getSemiring(const std::string &neutral, const std::string &type,
                        const std::string &map, const std::string &combine,
                        const std::string &laws = "associative commutative") {
  return "neutral(" + neutral + " : " + type + ") map (%x: " + type +
         ", %y: " + type + ") {\n %p = " + map + " %x, %y : " + type +
         "\n tc.yield %p : " + type + "\n} combine " + laws + " (%a: " + type +
         ", %v: " + type + ") {\n %c = " + combine + " %a, %v : " + type +
         "\n tc.yield %c : " + type + "\n}";
}

TEST(PadsTest, FillsProductsWithZeros) {
  // r is in X alone: zeros there leave Y, which may be infinite, times zero.
  EXPECT_EQ(describe({"f32", "f32", "f32"}, ""),
            "0.000000e+00 : f32 0.000000e+00 : f32 q");
  EXPECT_EQ(describe({"i8", "i32", "i32"}, ""), "0 : i8 0 : i32 q");
  EXPECT_EQ(describe({"i1", "i1", "i1"}, ""), "false false q");
  std::string zero = "#complex.number<:f32 0.000000e+00, 0.000000e+00>";
  EXPECT_EQ(describe({"complex<f32>", "f32", "complex<f32>"}, ""),
            zero + " : complex<f32> 0.000000e+00 : f32 q");
}

TEST(PadsTest, CoversNothingBesideABroadcastProduct) {
  Program program({"memref<4x6xf32>", "memref<4xf32>", "memref<4xf32>"},
                  "tc.contract (i = 4, q = 6) ins(%0[i, q] : memref<4x6xf32>, "
                  "%1[i] : memref<4xf32>) outs(%2[i] : memref<4xf32>)");
  EXPECT_EQ(describe(program), "0.000000e+00 : f32 0.000000e+00 : f32");
}

TEST(PadsTest, FoldsSemirings) {
  std::string infinity = "0x7F800000", minus = "0xFF800000";
  // min-plus: infinity plus zero; plus an unknown value it may be a NaN.
  EXPECT_EQ(
      describe({"f32", "f32", "f32"},
               getSemiring(infinity, "f32", "arith.addf", "arith.minimumf")),
      "0x7F800000 : f32 0.000000e+00 : f32 q");
  EXPECT_EQ(describe({"f32", "f32", "f32"},
                     getSemiring(minus, "f32", "arith.addf", "arith.maximumf")),
            "0xFF800000 : f32 0.000000e+00 : f32 q");
  EXPECT_EQ(describe({"f32", "f32", "f32"},
                     getSemiring(minus, "f32", "arith.mulf", "arith.maximumf")),
            "0xFF800000 : f32 1.000000e+00 : f32 q");
  EXPECT_EQ(describe({"f64", "f64", "f64"},
                     getSemiring("0.0", "f64", "arith.mulf", "arith.maximumf")),
            "0.000000e+00 : f64 0.000000e+00 : f64 q");
  EXPECT_EQ(
      describe({"i32", "i32", "i32"},
               getSemiring("2147483647", "i32", "arith.addi", "arith.minsi")),
      "2147483647 : i32 0 : i32 q");
}

TEST(PadsTest, CoversWhatOneInputDecides) {
  // False and anything is false; 0 times any integer is 0.
  EXPECT_EQ(describe({"i1", "i1", "i1"},
                     getSemiring("0", "i1", "arith.andi", "arith.ori")),
            "false false q r");
  EXPECT_EQ(describe({"i32", "i32", "i32"},
                     getSemiring("0", "i32", "arith.muli", "arith.addi")),
            "0 : i32 0 : i32 q r");
}

TEST(PadsTest, FindsPairs) {
  // argmax: a value and where it is.
  std::string argmax = "{\n  %m = arith.cmpf ogt, %v, %a : f32\n"
                       "  %w = arith.select %m, %v, %a : f32\n"
                       "  %k = arith.select %m, %j, %i : i32\n"
                       "  tc.yield %w, %k : f32, i32\n}";
  Program program(
      {"memref<4x6xf32>", "memref<6xi32>", "memref<4xf32>", "memref<4xi32>"},
      "tc.contract (i = 4, q = 6) ins(%0[i, q] : memref<4x6xf32>, "
      "%1[q] : memref<6xi32>) outs(%2[i] : memref<4xf32>, "
      "%3[i] : memref<4xi32>) "
      "neutral(0xFF800000 : f32, -1 : i32) "
      "map (%x: f32, %n: i32) {\n"
      "  tc.yield %x, %n : f32, i32\n} "
      "combine associative commutative "
      "(%a: f32, %i: i32, %v: f32, %j: i32) " +
          argmax);
  EXPECT_EQ(describe(program), "0xFF800000 : f32 -1 : i32 q");
}

TEST(PadsTest, FindsNothingWhereThereIsNothing) {
  // (x + y) / 2 - 7.5 gives 3 for no candidate.
  Program program = getProgram(
      {"f32", "f32", "f32"},
      "neutral(3.0 : f32) map (%x: f32, %y: f32) {\n"
      "  %s = arith.addf %x, %y : f32\n  %h = arith.constant 7.5 : f32\n"
      "  %p = arith.subf %s, %h : f32\n  tc.yield %p : f32\n"
      "} combine associative commutative (%a: f32, %v: f32) {\n"
      "  %c = arith.maximumf %a, %v : f32\n  tc.yield %c : f32\n}");
  EXPECT_EQ(describe(program), "0.000000e+00 : f32 0.000000e+00 : f32");
}

TEST(PadsTest, AddsNoTermsInOrder) {
  // In order even a neutral term need not be harmless: first(acc, x).
  EXPECT_EQ(describe({"f32", "f32", "f32"},
                     getSemiring("0.0", "f32", "arith.mulf", "arith.subf", "")),
            "0.000000e+00 : f32 0.000000e+00 : f32");
}

TEST(PadsTest, LeavesTheContractionAsItIs) {
  Program program = getProgram(
      {"f32", "f32", "f32"},
      getSemiring("0xFF800000", "f32", "arith.mulf", "arith.maximumf"));
  std::string before, after;
  llvm::raw_string_ostream(before) << program.op;
  findPads(program.op);
  llvm::raw_string_ostream(after) << program.op;
  EXPECT_EQ(before, after);
}

} // namespace
