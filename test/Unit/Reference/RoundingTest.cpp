//===- RoundingTest.cpp - The roundings of general programs -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
    context.loadDialect<arith::ArithDialect, func::FuncDialect,
                        linalg::LinalgDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect, TCDialect>();
  }

  /// Element 0 of %y after `body`, which computes it from %a, a memref<?xf32>.
  Scalar run(StringRef body, ArrayRef<double> values, StringRef type = "f32",
             Array first = realArray({1}, {0})) {
    std::string text =
        ("func.func @f(%a: memref<?xf32>, %y: memref<1x" + type +
         ">) { %c0 = arith.constant 0 : index\n" +
         "%c1 = arith.constant 1 : index\n" + body + "\nreturn }")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    std::vector<Array> arguments = {realArray({int64_t(values.size())}, values),
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
  EXPECT_FLOAT_EQ(sum.roundoff, 1001 * 0x1p-24f);
  // An f32 arithmetic keeps to it, and what is wrong by more does not.
  float f32 = 0;
  for (double x : values)
    f32 += float(x) * float(x);
  double tolerance = sum.error();
  EXPECT_LE(std::fabs(f32 - sum.value), tolerance);
  EXPECT_GT(0.3 * 0.3, tolerance); // a term is missing
}

TEST_F(RoundingTest, ProductsHaveTheErrorsOfBothFactors) {
  Scalar square = run(sumOfSquares.str() + R"(
    %ss = arith.mulf %s, %s : f32
    memref.store %ss, %y[%c0] : memref<1xf32>)",
                      {.1, .2, .3});
  EXPECT_NEAR(square.value, .14 * .14, 1e-12);
  double error = .14 * relativeBound(4 * 0x1p-24); // of %s
  EXPECT_NEAR(square.error(), 2 * .14 * error + .14 * .14 * 0x1p-24, 1e-12);
}

TEST_F(RoundingTest, TermsBelowTheSmallestNumberMayBeLost) {
  Scalar lost = run(R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %zero = arith.constant 0.0 : f32
    %xx = math.fma %x, %x, %zero : f32
    memref.store %xx, %y[%c0] : memref<1xf32>)",
                    {0x1p-100});
  EXPECT_EQ(lost.value, 0x1p-200);
  EXPECT_GE(lost.error(), lost.value);
}

TEST_F(RoundingTest, UnsignedNumbersJumpWhereErrorsPassZero) {
  // 0 or -1, of which the latter is the largest unsigned number.
  static constexpr StringLiteral zeroOrLess = R"(
    %limit = arith.constant 0.14 : f32
    %less = arith.cmpf olt, %s, %limit : f32
    %zero_i = arith.constant 0 : i32
    %below = arith.constant -1 : i32
    %i = arith.select %less, %zero_i, %below : i32
    %bound = arith.constant 100 : i32
    )";
  for (StringRef predicate : {"slt", "ult"}) {
    Scalar decided = run((sumOfSquares + zeroOrLess + "%b = arith.cmpi " +
                          predicate + R"(, %i, %bound : i32
    %y0 = arith.extui %b : i1 to i32
    memref.store %y0, %y[%c0] : memref<1xi32>)")
                             .str(),
                         {.1, .2, .3}, "i32", integerArray({1}, {0}));
    EXPECT_EQ(decided.inherited == 0, predicate == "slt");
  }
}

TEST_F(RoundingTest, BranchesThatErrorsDecideAreCounted) {
  static constexpr StringLiteral branch = R"(
    %limit = arith.constant 0.14 : f32
    %less = arith.cmpf olt, %s, %limit : f32
    scf.if %less {
      memref.store %s, %y[%c0] : memref<1xf32>
    })";
  run((sumOfSquares + branch).str(), {.1, .2, .3});
  EXPECT_EQ(evaluation.undecided, 1u);
  EXPECT_NE(evaluation.firstUndecided, "");
  run((sumOfSquares + branch).str(), {.1, .2, .301});
  EXPECT_EQ(evaluation.undecided, 0u);
}

TEST_F(RoundingTest, ChoicesThatErrorsDecideMayTakeTheOther) {
  Scalar chosen = run(sumOfSquares.str() + R"(
    %limit = arith.constant 0.14 : f32
    %less = arith.cmpf olt, %s, %limit : f32
    %one = arith.constant 1.0 : f32
    %five = arith.constant 5.0 : f32
    %x = arith.select %less, %one, %five : f32
    memref.store %x, %y[%c0] : memref<1xf32>)",
                      {.1, .2, .3});
  EXPECT_EQ(chosen.error(), 4);
  Scalar number = run(sumOfSquares.str() + R"(
    %hundred = arith.constant 100.0 : f32
    %many = arith.mulf %s, %hundred : f32
    %x = arith.fptosi %many : f32 to i64
    memref.store %x, %y[%c0] : memref<1xi64>)",
                      {.1, .2, .3}, "i64", integerArray({1}, {0}));
  EXPECT_EQ(number.error(), 1); // 13 or 14
}

TEST_F(RoundingTest, IntegersWithoutMeaningAreUnknown) {
  auto error = [&](StringRef op, int64_t x, int64_t y) {
    std::string text;
    raw_string_ostream(text) << "%x = arith.constant " << x << " : i32\n"
                             << "%z = arith.constant " << y << " : i32\n"
                             << "%r = " << op << " %x, %z : i32\n"
                             << "memref.store %r, %y[%c0] : memref<1xi32>";
    return run(text, {0}, "i32", integerArray({1}, {0})).error();
  };
  constexpr double unknown = std::numeric_limits<double>::infinity();
  for (StringRef op :
       {"arith.divsi", "arith.ceildivsi", "arith.floordivsi", "arith.remsi"}) {
    EXPECT_EQ(error(op, 7, 0), unknown) << op.str();
    EXPECT_EQ(error(op, INT32_MIN, -1), unknown) << op.str();
    EXPECT_EQ(error(op, -7, -1), 0) << op.str();
  }
  for (StringRef op : {"arith.divui", "arith.ceildivui", "arith.remui"}) {
    EXPECT_EQ(error(op, 7, 0), unknown) << op.str();
    EXPECT_EQ(error(op, INT32_MIN, -1), 0) << op.str();
  }
  for (StringRef op : {"arith.shli", "arith.shrsi", "arith.shrui"}) {
    EXPECT_EQ(error(op, 1, 32), unknown) << op.str();
    EXPECT_EQ(error(op, 1, -1), unknown) << op.str();
    EXPECT_EQ(error(op, 1, 31), 0) << op.str();
  }
  EXPECT_EQ(error("math.ipowi", 0, -1), unknown);
  EXPECT_EQ(error("math.ipowi", 2, -1), 0);
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
  EXPECT_EQ(largest.error(), 0);
  EXPECT_EQ(evaluation.undecided, 0u);
}

TEST_F(RoundingTest, AMaximumFromMinusInfinityHasNoError) {
  // As every frontend starts one; the exponential behind it has its own alone.
  Scalar scaled = run(R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %low = arith.constant 0xFF800000 : f32
    %m = arith.maximumf %x, %low : f32
    %e = math.exp %m : f32
    memref.store %e, %y[%c0] : memref<1xf32>)",
                      {-0.5});
  EXPECT_DOUBLE_EQ(scaled.value, std::exp(-0.5));
  EXPECT_NEAR(scaled.error(), 8 * 0x1p-24 * scaled.value, 1e-12);
}

TEST_F(RoundingTest, QuotientsOfSumsHaveTheirErrors) {
  // A softmax: what is divided by a sum of positive terms stays near to it.
  Scalar share = run(sumOfSquares.str() + R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %q = arith.divf %x, %s : f32
    memref.store %q, %y[%c0] : memref<1xf32>)",
                     std::vector<double>(100, 0.3));
  EXPECT_NEAR(share.value, 0.3 / 9, 1e-12);
  EXPECT_NEAR(share.error() / share.value, 102 * 0x1p-24, 1e-8);
}

TEST_F(RoundingTest, DivisorsThatMayBeZeroLeaveNothingKnown) {
  Scalar quotient = run(R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %y0 = memref.load %a[%c1] : memref<?xf32>
    %sum = arith.addf %x, %y0 : f32
    %q = arith.divf %x, %sum : f32
    memref.store %q, %y[%c0] : memref<1xf32>)",
                        {.1, -.1 - 1e-9});
  EXPECT_TRUE(std::isinf(quotient.error()));
}

TEST_F(RoundingTest, InfinitiesAreExactWhereAllThatIsPossibleGivesThem) {
  static constexpr StringLiteral divide = R"(
    %x = memref.load %a[%c0] : memref<?xf32>
    %y0 = memref.load %a[%c1] : memref<?xf32>
    %q = arith.divf %x, %y0 : f32
    memref.store %q, %y[%c0] : memref<1xf32>)";
  Scalar infinite = run(divide, {1, 0});
  EXPECT_TRUE(std::isinf(infinite.value));
  EXPECT_EQ(infinite.error(), 0);
  Scalar undefined = run(divide, {0, 0});
  EXPECT_TRUE(std::isnan(undefined.value));
  EXPECT_EQ(undefined.error(), 0);
  // What is larger than the type's largest number becomes an infinity.
  Scalar overflow = run(divide, {1e30, 1e-30});
  EXPECT_TRUE(std::isinf(overflow.value));
  EXPECT_EQ(overflow.error(), 0);
}

TEST_F(RoundingTest, SumsOfFewBitsAreExact) {
  // Multiples of 2^-6, of which f32 holds all up to 2^18.
  std::string sum =
      sumOfSquares.str() + "memref.store %s, %y[%c0] : memref<1xf32>";
  EXPECT_EQ(run(sum, std::vector<double>(1000, 0.625)).error(), 0);
  EXPECT_GT(run(sum, std::vector<double>(1000, 512.125)).error(), 0);
}

TEST_F(RoundingTest, SumsOfHalvesAreKeptInF32) {
  // By any op of linalg that adds to its result, whatever else it computes.
  static constexpr StringLiteral sums = R"(
    %h = memref.alloc() : memref<1000xf16>
    %s = memref.alloc() : memref<f16>
    %m = memref.alloc() : memref<f16>
    %one = arith.constant 1.0 : f16
    %third = arith.constant 0.3333 : f16
    linalg.fill ins(%third : f16) outs(%h : memref<1000xf16>)
    linalg.fill ins(%one : f16) outs(%s : memref<f16>)
    linalg.fill ins(%one : f16) outs(%m : memref<f16>)
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>,
                                     affine_map<(i) -> ()>,
                                     affine_map<(i) -> ()>],
                    iterator_types = ["reduction"]}
      ins(%h : memref<1000xf16>) outs(%s, %m : memref<f16>, memref<f16>) {
    ^bb0(%x: f16, %u: f16, %v: f16):
      %p = arith.addf %u, %x : f16
      %q = arith.maximumf %v, %x : f16
      linalg.yield %p, %q : f16, f16
    }
    %r = memref.load %s[] : memref<f16>
    memref.store %r, %y[%c0] : memref<1xf16>)";
  Scalar sum = run(sums, {1}, "f16");
  EXPECT_NEAR(sum.value, 334, 1);
  EXPECT_LE(sum.error(), sum.value * (0x1p-11 + 1001 * 0x1p-24));
}

} // namespace
