//===- NestTest.cpp - The reference evaluation of nests -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;
using ::testing::HasSubstr;

namespace {

class NestTest : public ::testing::Test {
protected:
  NestTest() {
    context.loadDialect<affine::AffineDialect, arith::ArithDialect,
                        func::FuncDialect, gpu::GPUDialect, math::MathDialect,
                        memref::MemRefDialect, scf::SCFDialect, TCDialect>();
  }

  /// Runs a function of those parameters and that body.
  Expected<Evaluation> run(StringRef parameters, StringRef body,
                           MutableArrayRef<Array> arguments) {
    std::string text =
        ("func.func @f(" + parameters + ") {\n" + body + "\nreturn }").str();
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return createStringError("the test program does not parse");
    return evaluate(*module->getOps<func::FuncOp>().begin(), arguments,
                    {/*checkIndependence=*/true});
  }

  /// What is in the only argument, a memref<?xi64> of `size` zeros.
  std::vector<int64_t> integersOf(StringRef body, int64_t size) {
    std::vector<Array> arguments = {
        integerArray({size}, std::vector<int64_t>(size))};
    cantFail(run("%a: memref<?xi64>", body, arguments));
    return arguments[0].integers();
  }

  /// The error that the same ends with.
  std::string errorOf(StringRef body, int64_t size) {
    std::vector<Array> arguments = {
        integerArray({size}, std::vector<int64_t>(size))};
    auto evaluation = run("%a: memref<?xi64>", body, arguments);
    return evaluation ? "" : toString(evaluation.takeError());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

using Integers = std::vector<int64_t>;

TEST_F(NestTest, RunsWithStepsAndWidths) {
  // Of every 3 indices from 1 on, the first 2.
  EXPECT_EQ(integersOf(R"(
    tc.par (%i) = (1) to (9) step (3) width (2) {
      %x = arith.index_cast %i : index to i64
      memref.store %x, %a[%i] : memref<?xi64>
    })",
                       9),
            (Integers{0, 1, 2, 0, 4, 5, 0, 7, 8}));
}

TEST_F(NestTest, RunsInLexicographicOrderAndCarriesValues) {
  // The digits of the indices, one after the other.
  EXPECT_EQ(integersOf(R"(
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0 : i64
    %c10 = arith.constant 10 : i64
    %x = tc.seq (%i, %j) = (1, 1) to (3, 4) step (1, 2) init(%n = %zero : i64) {
      %k = affine.apply affine_map<(i, j) -> (i + j)>(%i, %j)
      %digit = arith.index_cast %k : index to i64
      %shifted = arith.muli %n, %c10 : i64
      %next = arith.addi %shifted, %digit : i64
      tc.yield %next : i64
    }
    memref.store %x, %a[%c0] : memref<?xi64>)",
                       1),
            (Integers{2435}));
}

/// Joins the digits of the sums of indices, 2, 4, 3 and 5, which comes out
/// wrong in any other order. What is stored where is up to `finish`.
std::string joinDigits(StringRef op, StringRef flag, StringRef finish) {
  return formatv(R"(
    %zero = arith.constant 0 : i64
    %one = arith.constant 1 : i64
    %ten = arith.constant 10 : i64
    {0} (%i, %j) = (1, 1) to (3, 4) step (1, 2)
        init(%one : i64, %zero : i64) {1} {{
      %k = affine.apply affine_map<(i, j) -> (i + j)>(%i, %j)
      %digit = arith.index_cast %k : index to i64
      tc.yield %ten, %digit : i64, i64
    } combine (%p: i64, %x: i64, %q: i64, %y: i64) {{
      %pq = arith.muli %p, %q : i64
      %xq = arith.muli %x, %q : i64
      %xy = arith.addi %xq, %y : i64
      tc.yield %pq, %xy : i64, i64
    } finish {2})",
                 op, flag, finish)
      .str();
}

TEST_F(NestTest, ReducesInLexicographicOrder) {
  EXPECT_EQ(integersOf(joinDigits("tc.reduce", "", R"((%p: i64, %x: i64) {
      %c1 = arith.constant 1 : index
      memref.store %x, %a[%c1] : memref<?xi64>
    })"),
                       2),
            (Integers{0, 2435}));
}

TEST_F(NestTest, ScansInLexicographicOrder) {
  StringRef finish = R"((%i: index, %j: index, %p: i64, %x: i64) {
      %k = affine.apply affine_map<(i, j) -> (i + j)>(%i, %j)
      memref.store %x, %a[%k] : memref<?xi64>
    })";
  EXPECT_EQ(integersOf(joinDigits("tc.scan", "", finish), 6),
            (Integers{0, 0, 2, 243, 24, 2435}));
  EXPECT_EQ(integersOf(joinDigits("tc.scan", "exclusive", finish), 6),
            (Integers{0, 0, 0, 24, 2, 243}));
}

TEST_F(NestTest, RefusesRegionsOfAReductionThatAreNotIndependent) {
  EXPECT_THAT(errorOf(R"(
    %zero = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    tc.reduce (%i) = (0) to (4) init(%zero : i64) {
      memref.store %zero, %a[%c0] : memref<?xi64>
      tc.yield %zero : i64
    } combine (%x: i64, %y: i64) {
      tc.yield %y : i64
    } finish (%x: i64) {
    })",
                      1),
              HasSubstr("iteration (0) writes and iteration (1) writes"));
}

TEST_F(NestTest, RunsScfAndAffineControlFlow) {
  // The lengths of the Collatz sequences of 1 to 7, where they are odd.
  EXPECT_EQ(integersOf(R"(
    %one = arith.constant 1 : i64
    %two = arith.constant 2 : i64
    %three = arith.constant 3 : i64
    %zero = arith.constant 0 : i64
    affine.for %i = 0 to 7 {
      %i64 = arith.index_cast %i : index to i64
      %first = arith.addi %i64, %one : i64
      %end:2 = scf.while (%n = %first, %length = %zero) : (i64, i64) -> (i64, i64) {
        %more = arith.cmpi ne, %n, %one : i64
        scf.condition(%more) %n, %length : i64, i64
      } do {
      ^bb0(%n: i64, %length: i64):
        %bit = arith.andi %n, %one : i64
        %odd = arith.cmpi eq, %bit, %one : i64
        %next = scf.if %odd -> i64 {
          %x = arith.muli %n, %three : i64
          %y = arith.addi %x, %one : i64
          scf.yield %y : i64
        } else {
          %x = arith.divsi %n, %two : i64
          scf.yield %x : i64
        }
        %more = arith.addi %length, %one : i64
        scf.yield %next, %more : i64, i64
      }
      affine.if affine_set<(i) : (i mod 2 == 0)>(%i) {
        affine.store %end#1, %a[%i floordiv 2] : memref<?xi64>
      }
    })",
                       4),
            (Integers{0, 7, 5, 16}));
}

TEST_F(NestTest, RunsLoopsOfOtherDialects) {
  EXPECT_EQ(integersOf(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %one = arith.constant 1 : i64
    scf.forall (%i) in (2) {
      scf.parallel (%j) = (%c0) to (%c4) step (%c2) {
        affine.parallel (%k) = (0) to (min(2, 3)) {
          %at = affine.apply affine_map<(i, j, k) -> (i * 4 + j + k)>(%i, %j, %k)
          scf.for %l = %c0 to %at step %c1 {
            %x = memref.load %a[%at] : memref<?xi64>
            %y = arith.addi %x, %one : i64
            memref.store %y, %a[%at] : memref<?xi64>
          }
        }
      }
    })",
                       8),
            (Integers{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST_F(NestTest, StagesWithPadAndPaddedRows) {
  // A 2x2 corner of a 3x3 matrix, staged into rows of 4 elements, 3 of them
  // used.
  Array arguments[] = {integerArray({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}),
                       integerArray({8}, Integers(8))};
  cantFail(run("%a: memref<3x3xi64>, %b: memref<8xi64>", R"(
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %v = tc.view %a (%c4, %c2, %c2) <offset = ?, sizes = [?, ?], strides = [3, 1]>
      : memref<3x3xi64> to memref<?x?xi64, strided<[3, 1], offset: ?>>
    %s = tc.stage %v pad(-1 : i64) : memref<?x?xi64, strided<[3, 1], offset: ?>>
      to memref<2x3xi64, strided<[4, 1]>>
    tc.par (%i) = (0) to (2) {
      tc.seq (%j) = (0) to (3) {
        %x = memref.load %s[%i, %j] : memref<2x3xi64, strided<[4, 1]>>
        %at = affine.apply affine_map<(i, j) -> (i * 4 + j)>(%i, %j)
        memref.store %x, %b[%at] : memref<8xi64>
      }
    })",
               arguments));
  EXPECT_EQ(arguments[1].integers(), (Integers{5, 6, -1, 0, 8, 9, -1, 0}));
}

TEST_F(NestTest, ContractsInsideOfNests) {
  // Row by row of a matrix times a vector, into a buffer of the nest.
  Array arguments[] = {realArray({2, 3}, {1, 2, 3, 4, 5, 6}),
                       realArray({3}, {1, 1, 2}), realArray({2}, {0, 0})};
  cantFail(run("%a: memref<2x3xf32>, %x: memref<3xf32>, %y: memref<2xf32>", R"(
    %c0 = arith.constant 0 : index
    tc.par (%i) = (0) to (2) {
      %sum = tc.new init(0.0 : f32) : memref<f32>
      %row = memref.subview %a[%i, 0] [1, 3] [1, 1]
        : memref<2x3xf32> to memref<3xf32, strided<[1], offset: ?>>
      tc.contract (k = 3) ins(%row[k] : memref<3xf32, strided<[1], offset: ?>>,
                              %x[k] : memref<3xf32>) outs(%sum[] : memref<f32>)
      %s = memref.load %sum[] : memref<f32>
      memref.store %s, %y[%i] : memref<2xf32>
    })",
               arguments));
  EXPECT_EQ(arguments[2].values(), (std::vector<double>{9, 21}));
  // 3 sums and 1 product
  EXPECT_FLOAT_EQ(arguments[2].elements[0].roundoff, 4 * 0x1p-24);
}

TEST_F(NestTest, UpdatesAtomically) {
  EXPECT_EQ(integersOf(R"(
    %one = arith.constant 1 : i64
    tc.par (%i) = (0) to (10) {
      %at = affine.apply affine_map<(i) -> (i mod 3)>(%i)
      %old = memref.atomic_rmw addi %one, %a[%at] : (i64, memref<?xi64>) -> i64
    })",
                       3),
            (Integers{4, 3, 3}));
}

TEST_F(NestTest, RefusesAccessesOutsideOfABuffer) {
  EXPECT_THAT(errorOf(R"(
    tc.par (%i) = (0) to (5) {
      %x = memref.load %a[%i] : memref<?xi64>
    })",
                      4),
              HasSubstr("'memref.load': reads index 4 of dimension 0, which "
                        "has extent 4"));
  EXPECT_THAT(errorOf(R"(
    %x = arith.constant 1 : i64
    affine.for %i = 0 to 5 {
      affine.store %x, %a[%i - 1] : memref<?xi64>
    })",
                      4),
              HasSubstr("'affine.store': writes index -1 of dimension 0, which "
                        "has extent 4"));
}

TEST_F(NestTest, RefusesToReadWhatNobodyWrote) {
  EXPECT_THAT(errorOf(R"(
    tc.par (%i) = (0) to (4) {
      %b = tc.new : memref<2xi64>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %x = memref.load %a[%i] : memref<?xi64>
      memref.store %x, %b[%c0] : memref<2xi64>
      %y = memref.load %b[%c1] : memref<2xi64>
    })",
                      4),
              HasSubstr("'memref.load': reads an element that nobody has "
                        "written"));
}

TEST_F(NestTest, RefusesIterationsThatAreNotIndependent) {
  // Each reads what the one before it writes.
  EXPECT_THAT(errorOf(R"(
    %c1 = arith.constant 1 : index
    tc.par (%i) = (0) to (4) {
      %x = memref.load %a[%i] : memref<?xi64>
      %j = arith.addi %i, %c1 : index
      memref.store %x, %a[%j] : memref<?xi64>
    })",
                      5),
              HasSubstr("to be independent, got an element that iteration (0) "
                        "writes and iteration (1) reads"));
  // All write the same one.
  EXPECT_THAT(errorOf(R"(
    %c0 = arith.constant 0 : index
    tc.seq (%n) = (0) to (2) {
      tc.par (%i) = (0) to (1) {
        tc.par (%j, %k) = (0, 0) to (2, 2) {
          %x = arith.index_cast %j : index to i64
          memref.store %x, %a[%j] : memref<?xi64>
        }
      }
    })",
                      2),
              HasSubstr("iteration (0, 0) writes and iteration (0, 1) writes"));
  // What is read first, and updated atomically.
  EXPECT_THAT(errorOf(R"(
    %one = arith.constant 1 : i64
    tc.par (%i) = (0) to (2) {
      %c0 = arith.constant 0 : index
      %x = memref.load %a[%i] : memref<?xi64>
      %y = memref.atomic_rmw addi %one, %a[%c0] : (i64, memref<?xi64>) -> i64
      %z = memref.load %a[%c0] : memref<?xi64>
    })",
                      2),
              HasSubstr("iteration (0) reads and iteration (1) updates "
                        "atomically"));
}

TEST_F(NestTest, TakesIterationsForIndependentThatAre) {
  // One loop after the other may read what the first has written, and so may
  // what contains them; iterations have buffers of their own.
  EXPECT_EQ(errorOf(R"(
    %c0 = arith.constant 0 : index
    %one = arith.constant 1 : i64
    tc.par (%g) = (0) to (1) {
      %b = tc.new : memref<4xi64>
      tc.par (%i) = (0) to (4) {
        memref.store %one, %b[%i] : memref<4xi64>
      }
      gpu.barrier
      tc.par (%i) = (0) to (4) {
        %j = affine.apply affine_map<(i) -> (3 - i)>(%i)
        %x = memref.load %b[%j] : memref<4xi64>
        memref.store %x, %a[%i] : memref<?xi64>
      }
      %y = memref.load %a[%c0] : memref<?xi64>
    })",
                    4),
            "");
}

TEST_F(NestTest, RefusesALoopThatDoesNotAdvance) {
  EXPECT_THAT(errorOf(R"(
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %step = arith.muli %c0, %c1 : index
    scf.for %i = %c0 to %c1 step %step {
    })",
                      1),
              HasSubstr("'scf.for': expected steps of at least 1, got 0"));
}

} // namespace
