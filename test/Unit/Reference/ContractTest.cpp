//===- ContractTest.cpp - Contractions in the reference -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types, regions, sides and several results of tc.contract.
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

using Reals = std::vector<double>;
using Integers = std::vector<int64_t>;

/// Runs the function of those arguments and that body; the roundings and their
/// error.
Evaluation run(StringRef parameters, StringRef body,
               MutableArrayRef<Array> arguments,
               const EvaluateOptions &options = {}) {
  MLIRContext context;
  context.loadDialect<arith::ArithDialect, complex::ComplexDialect,
                      func::FuncDialect, math::MathDialect,
                      memref::MemRefDialect, TCDialect>();
  std::string text =
      ("func.func @f(" + parameters + ") {\n" + body + "\nreturn }").str();
  auto module = parseSourceString<ModuleOp>(text, &context);
  if (!module) {
    ADD_FAILURE() << "the program does not parse";
    return {};
  }
  auto evaluation =
      evaluate(*module->getOps<func::FuncOp>().begin(), arguments, options);
  if (!evaluation) {
    ADD_FAILURE() << toString(evaluation.takeError());
    return {};
  }
  return *evaluation;
}

Array complexArray(ArrayRef<std::complex<double>> values) {
  Array array;
  array.shape = {int64_t(values.size())};
  for (std::complex<double> value : values)
    array.elements.push_back(Scalar::of(value));
  return array;
}

TEST(ContractTest, IntegersWrapToTheirWidth) {
  Array arguments[] = {integerArray({2}, {127, -128}),
                       integerArray({2}, {127, 127}), integerArray({}, {0}),
                       integerArray({}, {0})};
  run("%a: memref<2xi8>, %b: memref<2xi8>, %c: memref<i8>, %d: memref<i32>",
      R"(tc.contract (k = 2) ins(%a[k] : memref<2xi8>, %b[k] : memref<2xi8>)
           outs(%c[] : memref<i8>) overwrite accumulate(i8)
         tc.contract (k = 2) ins(%a[k] : memref<2xi8>, %b[k] : memref<2xi8>)
           outs(%d[] : memref<i32>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[3].integers(), Integers{-127});
  EXPECT_EQ(arguments[2].integers(), Integers{-127});
  Array large[] = {integerArray({2}, {int64_t(1) << 62, 3}),
                   integerArray({2}, {6, 1}), integerArray({}, {5})};
  run("%a: memref<2xi64>, %b: memref<2xi64>, %c: memref<i64>",
      R"(tc.contract (k = 2) ins(%a[k] : memref<2xi64>, %b[k] : memref<2xi64>)
           outs(%c[] : memref<i64>))",
      large);
  // 6 * 2^62 is 2^63 modulo 2^64.
  EXPECT_EQ(large[2].integers(),
            Integers{std::numeric_limits<int64_t>::min() + 8});
}

TEST(ContractTest, TruthValuesAreAndedAndOred) {
  Array arguments[] = {integerArray({2, 2}, {1, 1, 0, 1}),
                       integerArray({2}, {1, 0}), integerArray({2}, {1, 0})};
  run("%a: memref<2x2xi1>, %b: memref<2xi1>, %c: memref<2xi1>",
      R"(tc.contract (i = 2, k = 2)
           ins(%a[i, k] : memref<2x2xi1>, %b[k] : memref<2xi1>)
           outs(%c[i] : memref<2xi1>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[2].integers(), (Integers{1, 0}));
}

TEST(ContractTest, ComplexNumbersKeepTheirModulusAsMagnitude) {
  Array arguments[] = {complexArray({{3, 4}, {0, 1}}),
                       complexArray({{1, -1}, {2, 0}}), complexArray({{7, 0}})};
  arguments[2].shape = {};
  run("%a: memref<2xcomplex<f32>>, %b: memref<2xcomplex<f32>>, "
      "%c: memref<complex<f32>>",
      R"(tc.contract (k = 2) ins(%a[k] : memref<2xcomplex<f32>>,
                                 %b[k] : memref<2xcomplex<f32>>)
           outs(%c[] : memref<complex<f32>>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[2].elements[0].complex(),
            (std::complex<double>{7, 3})); // 7 + i and 2i
  EXPECT_NEAR(arguments[2].elements[0].magnitude, 5 * M_SQRT2 + 2, 1e-14);
  // 3 roundings in a product, 2 sums
  EXPECT_FLOAT_EQ(arguments[2].elements[0].roundoff, 5 * 0x1p-24);
}

TEST(ContractTest, EachRoundingCountsWithItsType) {
  // Thirds, since a sum of few bits is exact.
  Array arguments[] = {realArray({3}, {1 / 3., 2 / 3., 5.}),
                       realArray({}, {0})};
  run("%a: memref<3xf16>, %c: memref<f16>",
      R"(tc.contract (k = 3) ins(%a[k] : memref<3xf16>)
           outs(%c[] : memref<f16>) overwrite)",
      arguments);
  EXPECT_NEAR(arguments[1].values().front(), 6, 1e-12);
  EXPECT_NEAR(arguments[1].elements[0].error(), 6 * (3 * 0x1p-24 + 0x1p-11),
              1e-8);
  run("%a: memref<3xf16>, %c: memref<f16>",
      R"(tc.contract (k = 3) ins(%a[k] : memref<3xf16>)
           outs(%c[] : memref<f16>) overwrite accumulate(f16))",
      arguments);
  EXPECT_NEAR(arguments[1].elements[0].error(), 6 * relativeBound(3 * 0x1p-11),
              1e-8);
}

TEST(ContractTest, FloatsOf8BitsSaturate) {
  for (auto [type, largest] :
       {std::pair("f8E4M3FN", 448.), std::pair("f8E5M2", 57344.)}) {
    Array arguments[] = {realArray({2}, {-1e6, -1}), realArray({}, {0})};
    std::string parameters = "%a: memref<2xf32>, %c: memref<";
    run(parameters + type + ">",
        std::string(R"(tc.contract (k = 2) ins(%a[k] : memref<2xf32>)
           outs(%c[] : memref<)") +
            type + ">) overwrite",
        arguments);
    EXPECT_EQ(arguments[1].values().front(), -largest);
    EXPECT_EQ(arguments[1].elements[0].error(), 0);
  }
}

/// Where a unit keeps 13 bits, sums of more are less exact; those of fewer bits
/// stay exact.
TEST(ContractTest, ShortSumsOfFloatsOf8BitsAreCut) {
  auto getError = [](double first, int64_t bits) {
    Array arguments[] = {realArray({2}, {first, 448}),
                         realArray({2}, {first, 448}), realArray({}, {0})};
    EvaluateOptions options;
    options.f8SumBits = bits;
    run("%a: memref<2xf8E4M3FN>, %b: memref<2xf8E4M3FN>, %c: memref<f32>",
        R"(tc.contract (k = 2) ins(%a[k] : memref<2xf8E4M3FN>,
             %b[k] : memref<2xf8E4M3FN>) outs(%c[] : memref<f32>) overwrite)",
        arguments, options);
    return arguments[2].elements[0].error();
  };
  EXPECT_EQ(getError(16, 13), 0); // multiples of 2^8 up to 2^18
  EXPECT_EQ(getError(1, 0), 0);   // a sum of f32 has all bits
  // Two terms, cut twice below 2^16, and thrice below their sum.
  double sum = 448 * 448 + 1;
  EXPECT_DOUBLE_EQ(getError(1, 13),
                   std::ldexp(2 * 2 * 65536. + 3 * 2 * sum, -13));
}

TEST(ContractTest, MixedInputsMeetInTheAccumulator) {
  Array arguments[] = {integerArray({2}, {3, -1}), realArray({2}, {.5, 2}),
                       integerArray({2}, {1, 0}), realArray({}, {10})};
  run("%a: memref<2xi8>, %b: memref<2xf16>, %m: memref<2xi1>, "
      "%c: memref<f64>",
      R"(tc.contract (k = 2) ins(%a[k] : memref<2xi8>, %b[k] : memref<2xf16>,
                                 %m[k] : memref<2xi1>)
           outs(%c[] : memref<f64>))",
      arguments);
  EXPECT_EQ(arguments[3].values(), Reals{11.5});
}

TEST(ContractTest, EpiloguesTakeSidesAndOldResults) {
  // relu(2 * (a . b) + bias[i]), and the result itself as a side.
  Array arguments[] = {realArray({2, 2}, {1, 2, -3, 4}), realArray({2}, {1, 1}),
                       realArray({2}, {10, -100}), realArray({2}, {5, 6})};
  run("%a: memref<2x2xf32>, %b: memref<2xf32>, %bias: memref<2xf32>, "
      "%c: memref<2xf32>",
      R"(%two = arith.constant 2.0 : f32
         %zero = arith.constant 0.0 : f32
         tc.contract (i = 2, k = 2)
           ins(%a[i, k] : memref<2x2xf32>, %b[k] : memref<2xf32>)
           sides(%bias[i] : memref<2xf32>, %c[1 - i] : memref<2xf32>)
           outs(%c[i] : memref<2xf32>) overwrite
           epilogue (%acc: f32, %x: f32, %old: f32) {
             %s = arith.mulf %acc, %two : f32
             %t = arith.addf %s, %x : f32
             %u = arith.maximumf %t, %zero : f32
             tc.yield %u : f32
           })",
      arguments);
  EXPECT_EQ(arguments[3].values(), (Reals{16, 0}));
}

TEST(ContractTest, SeveralResultsHaveTheirOwnAccumulators) {
  // The largest element of each row, and where it is.
  Array arguments[] = {realArray({2, 3}, {1, 9, 2, 7, 7, 3}),
                       integerArray({3}, {0, 1, 2}), realArray({2}, {0, 0}),
                       integerArray({2}, {0, 0})};
  run("%a: memref<2x3xf32>, %n: memref<3xi32>, %v: memref<2xf32>, "
      "%at: memref<2xi32>",
      R"(tc.contract (i = 2, k = 3)
           ins(%a[i, k] : memref<2x3xf32>, %n[k] : memref<3xi32>)
           outs(%v[i] : memref<2xf32>, %at[i] : memref<2xi32>) overwrite
           neutral(0xFF800000 : f32, 2147483647 : i32)
           map (%x: f32, %k: i32) {
             tc.yield %x, %k : f32, i32
           } combine associative (%u: f32, %p: i32, %x: f32, %q: i32) {
             %greater = arith.cmpf ogt, %x, %u : f32
             %w = arith.select %greater, %x, %u : f32
             %r = arith.select %greater, %q, %p : i32
             tc.yield %w, %r : f32, i32
           })",
      arguments);
  EXPECT_EQ(arguments[2].values(), (Reals{9, 7}));
  EXPECT_EQ(arguments[3].integers(), (Integers{1, 0}));
}

TEST(ContractTest, TermsInOrderStartFromTheOldResult) {
  // The digits k of a number: 10 * acc + x.
  StringRef body = R"(tc.contract (k = 3) ins(%a[k] : memref<3xi32>)
      outs(%c[] : memref<i32>) OVERWRITE neutral(0 : i32)
      combine (%acc: i32, %x: i32) {
        %ten = arith.constant 10 : i32
        %y = arith.muli %acc, %ten : i32
        %z = arith.addi %y, %x : i32
        tc.yield %z : i32
      })";
  auto runWith = [&](StringRef overwrite) {
    Array arguments[] = {integerArray({3}, {1, 2, 3}), integerArray({}, {7})};
    std::string text = body.str();
    text.replace(text.find("OVERWRITE"), 9, overwrite.str());
    run("%a: memref<3xi32>, %c: memref<i32>", text, arguments);
    return arguments[1].integers();
  };
  EXPECT_EQ(runWith(""), Integers{7123});
  EXPECT_EQ(runWith("overwrite"), Integers{123});
}

TEST(ContractTest, AccumulatorsMayChangePlaces) {
  Array arguments[] = {realArray({3}, {1, 2, 3}), realArray({}, {10}),
                       realArray({}, {20})};
  run("%a: memref<3xf32>, %c: memref<f32>, %d: memref<f32>",
      R"(tc.contract (k = 3) ins(%a[k] : memref<3xf32>)
           outs(%c[] : memref<f32>, %d[] : memref<f32>)
           neutral(0.0 : f32, 0.0 : f32)
           map (%x: f32) { tc.yield %x : f32 }
           combine (%p: f32, %q: f32, %x: f32) {
             tc.yield %q, %p : f32, f32
           })",
      arguments);
  EXPECT_EQ(arguments[1].values(), Reals{20});
  EXPECT_EQ(arguments[2].values(), Reals{10});
}

TEST(ContractTest, EmptySumsLeaveTheOldResult) {
  StringRef parameters = "%a: memref<2x0xf32>, %c: memref<2xf32>";
  Array arguments[] = {realArray({2, 0}, {}), realArray({2}, {3, 4})};
  run(parameters,
      R"(tc.contract (i = 2, k = 0) ins(%a[i, k] : memref<2x0xf32>)
           outs(%c[i] : memref<2xf32>))",
      arguments);
  EXPECT_EQ(arguments[1].values(), (Reals{3, 4}));
  run(parameters,
      R"(tc.contract (i = 2, k = 0) ins(%a[i, k] : memref<2x0xf32>)
           outs(%c[i] : memref<2xf32>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[1].values(), (Reals{0, 0}));
}

TEST(ContractTest, GapsOfAResultStayAsTheyAre) {
  Array arguments[] = {realArray({2}, {1, 2}), realArray({4}, {5, 6, 7, 8})};
  run("%a: memref<2xf32>, %c: memref<4xf32>",
      R"(tc.contract (i = 2) ins(%a[i] : memref<2xf32>)
           outs(%c[2 * i + 1] : memref<4xf32>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[1].values(), (Reals{5, 1, 7, 2}));
}

TEST(ContractTest, ExtentsAndViewsAreReadAtRunTime) {
  Array arguments[] = {realArray({2, 3}, {1, 2, 3, 4, 5, 6}),
                       realArray({3}, {0, 0, 0})};
  run("%a: memref<?x?xf64>, %c: memref<?xf64>",
      R"(%c0 = arith.constant 0 : index
         %c1 = arith.constant 1 : index
         %n = memref.dim %a, %c0 : memref<?x?xf64>
         %m = memref.dim %a, %c1 : memref<?x?xf64>
         %t = memref.transpose %a (i, j) -> (j, i)
           : memref<?x?xf64> to memref<?x?xf64, strided<[1, ?]>>
         tc.contract (i = %m, k = %n)
           ins(%t[i, k] : memref<?x?xf64, strided<[1, ?]>>)
           outs(%c[i] : memref<?xf64>) overwrite)",
      arguments);
  EXPECT_EQ(arguments[1].values(), (Reals{5, 7, 9}));
}

TEST(ContractTest, SumsAddTheirTerms) {
  Array arguments[] = {realArray({2, 3}, {1, 2, 3, 4, 5, 6}),
                       realArray({2, 2}, {1, 0, 0, 1}), realArray({2}, {9, 9})};
  run("%a: memref<2x3xf32>, %b: memref<2x2xf32>, %c: memref<2xf32>",
      R"(tc.sum {
           tc.contract (i = 2, k = 3) ins(%a[i, k] : memref<2x3xf32>)
             outs(%c[i] : memref<2xf32>) overwrite
           tc.contract (i = 2, j = 2) ins(%b[i, j] : memref<2x2xf32>)
             outs(%c[i] : memref<2xf32>)
         })",
      arguments);
  EXPECT_EQ(arguments[2].values(), (Reals{7, 16}));
}

} // namespace
