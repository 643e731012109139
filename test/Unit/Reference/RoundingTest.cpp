//===- RoundingTest.cpp - The roundings of general programs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

class RoundingTest : public ::testing::Test {
protected:
  RoundingTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect, math::MathDialect,
                     memref::MemRefDialect, scf::SCFDialect, TCDialect>();
  }

  /// Element 0 of %y after `body`, which computes it from %a, a memref<?xf32>.
  Scalar run(StringRef body, ArrayRef<double> values, StringRef type = "f32",
             Array first = Array::of({1}, {0})) {
    std::string text =
        ("func.func @f(%a: memref<?xf32>, %y: memref<1x" + type +
         ">) { %c0 = arith.constant 0 : index\n" +
         "%c1 = arith.constant 1 : index\n" + body + "\nreturn }")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    std::vector<Array> arguments = {Array::of({int64_t(values.size())}, values),
                                    first};
    evaluation =
        cantFail(evaluate(*module->getOps<func::FuncOp>().begin(), arguments));
    return arguments[1].elements[0];
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Evaluation evaluation;
};

/// A sum in order, of which each term has gone through one product.
static constexpr StringLiteral sumOfSquares = R"(
  %zero = arith.constant 0.0 : f32
  %n = memref.dim %a, %c0 : memref<?xf32>
  %s = tc.seq (%i) = (0) to (%n) init(%acc = %zero : f32) {
    %x = memref.load %a[%i] : memref<?xf32>
    %xx = arith.mulf %x, %x : f32
    %next = arith.addf %acc, %xx : f32
    tc.yield %next : f32
  }
)";

TEST_F(RoundingTest, CountsThoseOnTheWayToAnElement) {
  std::vector<double> values(1000, 0.3);
  Scalar sum = run(
      sumOfSquares.str() + "memref.store %s, %y[%c0] : memref<1xf32>", values);
  EXPECT_EQ(sum.roundings, 1001);
  EXPECT_EQ(sum.error, 1001 * 0x1p-24f);
  // An f32 arithmetic keeps to it, and what is wrong by more does not.
  float f32 = 0;
  for (double x : values)
    f32 += float(x) * float(x);
  double tolerance = toleranceFor(sum.roundings, sum.error) * sum.magnitude;
  EXPECT_LE(std::fabs(f32 - sum.value), tolerance);
  EXPECT_GT(0.3 * 0.3, tolerance); // a term is missing
}

TEST_F(RoundingTest, ProductsHaveThoseOfBothFactors) {
  Scalar square = run(sumOfSquares.str() + R"(
    %ss = arith.mulf %s, %s : f32
    memref.store %ss, %y[%c0] : memref<1xf32>)",
                      {1, 2, 3});
  EXPECT_EQ(square.value, 14 * 14);
  EXPECT_EQ(square.roundings, 4 + 4 + 1);
}

TEST_F(RoundingTest, BranchesThatErrorsDecideAreCounted) {
  static constexpr StringLiteral branch = R"(
    %limit = arith.constant 14.0 : f32
    %less = arith.cmpf olt, %s, %limit : f32
    scf.if %less {
      memref.store %s, %y[%c0] : memref<1xf32>
    })";
  run((sumOfSquares + branch).str(), {1, 2, 3});
  EXPECT_EQ(evaluation.undecided, 1u);
  EXPECT_NE(evaluation.firstUndecided, "");
  run((sumOfSquares + branch).str(), {1, 2, 3.001});
  EXPECT_EQ(evaluation.undecided, 0u);
}

TEST_F(RoundingTest, ChoicesThatErrorsDecideMayTakeTheOther) {
  Scalar chosen = run(sumOfSquares.str() + R"(
    %limit = arith.constant 14.0 : f32
    %less = arith.cmpf olt, %s, %limit : f32
    %one = arith.constant 1.0 : f32
    %five = arith.constant 5.0 : f32
    %x = arith.select %less, %one, %five : f32
    memref.store %x, %y[%c0] : memref<1xf32>)",
                      {1, 2, 3});
  EXPECT_EQ(chosen.value, 5);
  EXPECT_GE(chosen.error * chosen.magnitude, 4);
  Scalar number = run(sumOfSquares.str() + R"(
    %x = arith.fptosi %s : f32 to i64
    memref.store %x, %y[%c0] : memref<1xi64>)",
                      {1, 2, 3}, "i64", Array::ofIntegers({1}, {0}));
  EXPECT_EQ(number.integer, 14);
  EXPECT_EQ(number.error, 1);
}

TEST_F(RoundingTest, WhatIsExactHasNone) {
  // A maximum rounds nothing, nor does what compares given numbers.
  Scalar largest = run(R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %y0 = memref.load %a[%c1] : memref<?xf32>
    %m = arith.maximumf %x, %y0 : f32
    %same = arith.cmpf oge, %x, %x : f32
    %z = arith.select %same, %m, %x : f32
    memref.store %z, %y[%c0] : memref<1xf32>)",
                       {1, 2});
  EXPECT_EQ(largest.value, 2);
  EXPECT_EQ(largest.roundings, 0);
  EXPECT_EQ(evaluation.undecided, 0u);
}

} // namespace
