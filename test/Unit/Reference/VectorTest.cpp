//===- VectorTest.cpp - Vectors in the reference evaluation ---------------===//
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
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;
using ::testing::HasSubstr;

namespace {

using Integers = std::vector<int64_t>;

class VectorTest : public ::testing::Test {
protected:
  VectorTest() {
    context.loadDialect<
        affine::AffineDialect, arith::ArithDialect, func::FuncDialect,
        math::MathDialect, memref::MemRefDialect, scf::SCFDialect, TCDialect,
        tensor::TensorDialect, ub::UBDialect, vector::VectorDialect>();
  }

  Expected<Evaluation> run(StringRef parameters, StringRef body,
                           MutableArrayRef<Array> arguments) {
    std::string text =
        ("func.func @f(" + parameters + ") {\n" +
         "%c0 = arith.constant 0 : index\n" +
         "%c1 = arith.constant 1 : index\n" + body + "\nreturn }")
            .str();
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return createStringError("the test program does not parse");
    return evaluate(*module->getOps<func::FuncOp>().begin(), arguments,
                    {/*checkIndependence=*/true});
  }

  /// What is in %a, a memref<3x4xi32> of 0, 1, 2, ..., after `body`.
  Expected<Array> runOnIntegers(StringRef body) {
    Integers numbers(12);
    std::iota(numbers.begin(), numbers.end(), 0);
    Array arguments[] = {integerArray({3, 4}, numbers)};
    auto evaluation = run("%a: memref<3x4xi32>", body, arguments);
    if (!evaluation)
      return evaluation.takeError();
    return arguments[0];
  }

  /// The first row of it, where `body` ends by storing %r, a vector<4xi32>.
  Integers rowOf(StringRef body) {
    Array array = cantFail(runOnIntegers(
        (body +
         "\nvector.store %r, %a[%c0, %c0] : memref<3x4xi32>, vector<4xi32>")
            .str()));
    Integers integers = array.integers();
    integers.resize(4);
    return integers;
  }

  std::string errorOf(StringRef body) {
    auto array = runOnIntegers(body);
    return array ? "" : toString(array.takeError());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

TEST_F(VectorTest, LoadsAlongTheLastDimensions) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<2x4xi32>
    %r = vector.extract %v[1] : vector<4xi32> from vector<2x4xi32>)"),
            (Integers{8, 9, 10, 11}));
  EXPECT_EQ(rowOf(R"(
    %r = affine.vector_load %a[%c0 + 2, %c0] : memref<3x4xi32>, vector<4xi32>)"),
            (Integers{8, 9, 10, 11}));
}

TEST_F(VectorTest, ReportsWhatLeavesTheBuffer) {
  EXPECT_THAT(
      errorOf(R"(
    %v = vector.load %a[%c0, %c1] : memref<3x4xi32>, vector<4xi32>)"),
      HasSubstr("'vector.load': reads index 4 of dimension 1, which has "
                "extent 4"));
  EXPECT_THAT(errorOf(R"(
    %v = arith.constant dense<1> : vector<3x4xi32>
    vector.store %v, %a[%c1, %c0] : memref<3x4xi32>, vector<3x4xi32>)"),
              HasSubstr("'vector.store': writes index 3 of dimension 0, which "
                        "has extent 3"));
  EXPECT_THAT(errorOf(R"(
    %p = arith.constant 7 : i32
    %v = vector.transfer_read %a[%c0, %c1], %p {in_bounds = [true]}
      : memref<3x4xi32>, vector<4xi32>)"),
              HasSubstr("'vector.transfer_read': reads index 4"));
  EXPECT_THAT(errorOf(R"(
    %v = affine.vector_load %a[%c0, %c0] : memref<3x4xi32>, vector<1x3x4xi32>)"),
              HasSubstr("expected a vector of at most 2 dimensions, as the "
                        "buffer has, got 3"));
}

TEST_F(VectorTest, ReportsWhatNobodyWrote) {
  EXPECT_THAT(errorOf(R"(
    %b = memref.alloc() : memref<4xi32>
    %x = memref.load %a[%c0, %c0] : memref<3x4xi32>
    memref.store %x, %b[%c0] : memref<4xi32>
    %v = vector.load %b[%c0] : memref<4xi32>, vector<2xi32>)"),
              HasSubstr("'vector.load': reads an element that nobody has "
                        "written"));
}

TEST_F(VectorTest, ReportsVectorsOfTwoIterationsThatOverlap) {
  EXPECT_THAT(
      errorOf(R"(
    %v = arith.constant dense<1> : vector<2xi32>
    tc.par (%i) = (0) to (2) {
      vector.store %v, %a[%c0, %i] : memref<3x4xi32>, vector<2xi32>
    })"),
      HasSubstr("an element that iteration (0) writes and iteration (1) "
                "writes"));
}

TEST_F(VectorTest, TransfersInAnyOrderWithPadding) {
  // Columns from 2 on: the last rows and columns are not there.
  Array array = cantFail(runOnIntegers(R"(
    %c2 = arith.constant 2 : index
    %p = arith.constant 7 : i32
    %v = vector.transfer_read %a[%c1, %c2], %p
      {permutation_map = affine_map<(i, j) -> (j, i)>}
      : memref<3x4xi32>, vector<3x3xi32>
    vector.transfer_write %v, %a[%c0, %c1] : vector<3x3xi32>, memref<3x4xi32>)"));
  EXPECT_EQ(array.integers(), (Integers{0, 6, 10, 7, 4, 7, 11, 7, 8, 7, 7, 7}));
}

TEST_F(VectorTest, TransfersRepeatElements) {
  EXPECT_EQ(rowOf(R"(
    %p = arith.constant 7 : i32
    %r = vector.transfer_read %a[%c1, %c1], %p
      {in_bounds = [true], permutation_map = affine_map<(i, j) -> (0)>}
      : memref<3x4xi32>, vector<4xi32>)"),
            (Integers{5, 5, 5, 5}));
}

TEST_F(VectorTest, TransfersToTensorsMakeOthers) {
  EXPECT_EQ(rowOf(R"(
    %t = arith.constant dense<3> : tensor<6xi32>
    %p = arith.constant 7 : i32
    %v = arith.constant dense<1> : vector<2xi32>
    %u = vector.transfer_write %v, %t[%c1] : vector<2xi32>, tensor<6xi32>
    %x = vector.transfer_read %t[%c0], %p : tensor<6xi32>, vector<4xi32>
    %y = vector.transfer_read %u[%c0], %p : tensor<6xi32>, vector<4xi32>
    %r = arith.muli %x, %y : vector<4xi32>)"),
            (Integers{9, 3, 3, 9}));
}

TEST_F(VectorTest, MasksAreOfTheShapeInMemory) {
  // Of rows 0 and 1, three columns; the vector has columns first.
  EXPECT_EQ(rowOf(R"(
    %p = arith.constant 7 : i32
    %c3 = arith.constant 3 : index
    %m = vector.create_mask %c1, %c3 : vector<2x4xi1>
    %v = vector.transfer_read %a[%c1, %c0], %p, %m
      {in_bounds = [true, true], permutation_map = affine_map<(i, j) -> (j, i)>}
      : memref<3x4xi32>, vector<4x2xi32>
    %e = vector.extract_strided_slice %v
      {offsets = [2], sizes = [2], strides = [1]}
      : vector<4x2xi32> to vector<2x2xi32>
    %r = vector.shape_cast %e : vector<2x2xi32> to vector<4xi32>)"),
            (Integers{6, 7, 7, 7}));
}

TEST_F(VectorTest, MaskedElementsMayBeOutside) {
  Array array = cantFail(runOnIntegers(R"(
    %c2 = arith.constant 2 : index
    %m = vector.constant_mask [2] : vector<4xi1>
    %p = arith.constant dense<[20, 21, 22, 23]> : vector<4xi32>
    %v = vector.maskedload %a[%c2, %c2], %m, %p
      : memref<3x4xi32>, vector<4xi1>, vector<4xi32> into vector<4xi32>
    vector.store %v, %a[%c0, %c0] : memref<3x4xi32>, vector<4xi32>
    vector.maskedstore %a[%c1, %c2], %m, %p
      : memref<3x4xi32>, vector<4xi1>, vector<4xi32>)"));
  EXPECT_EQ(array.integers(),
            (Integers{10, 11, 22, 23, 4, 5, 20, 21, 8, 9, 10, 11}));
}

TEST_F(VectorTest, GathersAndScatters) {
  Array array = cantFail(runOnIntegers(R"(
    %m = vector.constant_mask [2] : vector<3xi1>
    %at = arith.constant dense<[2, 0, 50]> : vector<3xi32>
    %p = arith.constant dense<7> : vector<3xi32>
    %v = vector.gather %a[%c1, %c1][%at], %m, %p : memref<3x4xi32>,
      vector<3xi32>, vector<3xi1>, vector<3xi32> into vector<3xi32>
    vector.scatter %a[%c0, %c0][%at], %m, %v : memref<3x4xi32>, vector<3xi32>,
      vector<3xi1>, vector<3xi32>)"));
  EXPECT_EQ(array.integers(), (Integers{5, 1, 7, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

TEST_F(VectorTest, Broadcasts) {
  EXPECT_EQ(rowOf(R"(
    %v = arith.constant dense<[[5], [6]]> : vector<2x1xi32>
    %b = vector.broadcast %v : vector<2x1xi32> to vector<3x2x2xi32>
    %e = vector.extract %b[2] : vector<2x2xi32> from vector<3x2x2xi32>
    %r = vector.shape_cast %e : vector<2x2xi32> to vector<4xi32>)"),
            (Integers{5, 5, 6, 6}));
}

TEST_F(VectorTest, Transposes) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c0, %c0] : memref<3x4xi32>, vector<3x4xi32>
    %s = vector.shape_cast %v : vector<3x4xi32> to vector<3x2x2xi32>
    %t = vector.transpose %s, [1, 2, 0] : vector<3x2x2xi32> to vector<2x2x3xi32>
    %e = vector.shape_cast %t : vector<2x2x3xi32> to vector<3x4xi32>
    %r = vector.extract %e[1] : vector<4xi32> from vector<3x4xi32>)"),
            (Integers{5, 9, 2, 6}));
}

TEST_F(VectorTest, InsertsIntoACopy) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<4xi32>
    %x = arith.constant 20 : i32
    %w = vector.insert %x, %v[%c1] : i32 into vector<4xi32>
    %r = arith.addi %v, %w : vector<4xi32>)"),
            (Integers{8, 25, 12, 14}));
  EXPECT_EQ(rowOf(R"(
    %v = arith.constant dense<0> : vector<2x4xi32>
    %x = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<2xi32>
    %w = vector.insert_strided_slice %x, %v {offsets = [1, 1], strides = [1]}
      : vector<2xi32> into vector<2x4xi32>
    %r = vector.extract %w[1] : vector<4xi32> from vector<2x4xi32>)"),
            (Integers{0, 4, 5, 0}));
}

TEST_F(VectorTest, ReportsPositionsOutsideOfAVector) {
  EXPECT_THAT(errorOf(R"(
    %v = vector.load %a[%c0, %c0] : memref<3x4xi32>, vector<1xi32>
    %x = vector.extract %v[%c1] : i32 from vector<1xi32>)"),
              HasSubstr("'vector.extract': slice leaves dimension 0: it has "
                        "index 1, where the extent is 1"));
}

TEST_F(VectorTest, Shuffles) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c0, %c0] : memref<3x4xi32>, vector<2x2xi32>
    %w = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<1x2xi32>
    %s = vector.shuffle %v, %w [2, 0] : vector<2x2xi32>, vector<1x2xi32>
    %r = vector.shape_cast %s : vector<2x2xi32> to vector<4xi32>)"),
            (Integers{4, 5, 0, 1}));
}

TEST_F(VectorTest, Interleaves) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<4xi32>
    %x, %y = vector.deinterleave %v : vector<4xi32> -> vector<2xi32>
    %r = vector.interleave %y, %x : vector<2xi32> -> vector<4xi32>)"),
            (Integers{5, 4, 7, 6}));
}

TEST_F(VectorTest, TakesElementsApart) {
  EXPECT_EQ(rowOf(R"(
    %s = vector.step : vector<4xindex>
    %v = arith.index_cast %s : vector<4xindex> to vector<4xi32>
    %e:4 = vector.to_elements %v : vector<4xi32>
    %r = vector.from_elements %e#3, %e#0, %e#2, %e#2 : vector<4xi32>)"),
            (Integers{3, 0, 2, 2}));
}

TEST_F(VectorTest, NothingIsKnownOfPoison) {
  Array array = cantFail(runOnIntegers(R"(
    %v = ub.poison : vector<2xi32>
    %x = vector.load %a[%c0, %c0] : memref<3x4xi32>, vector<2xi32>
    %w = arith.addi %v, %x : vector<2xi32>
    %s = vector.shuffle %x, %w [-1, 2, 1] : vector<2xi32>, vector<2xi32>
    vector.store %s, %a[%c0, %c0] : memref<3x4xi32>, vector<3xi32>)"));
  EXPECT_FALSE(std::isfinite(array.elements[0].error()));
  EXPECT_FALSE(std::isfinite(array.elements[1].error()));
  EXPECT_EQ(array.elements[2].error(), 0);
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

TEST_F(VectorTest, ComputesElementByElement) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<4xi32>
    %w = arith.constant dense<[9, 3, 8, 2]> : vector<4xi32>
    %m = arith.cmpi slt, %v, %w : vector<4xi32>
    %s = arith.select %m, %v, %w : vector<4xi1>, vector<4xi32>
    %b = arith.constant true
    %r = arith.select %b, %s, %v : vector<4xi32>)"),
            (Integers{4, 3, 6, 2}));
  // Widths are those of the elements.
  EXPECT_EQ(rowOf(R"(
    %v = arith.constant dense<[255, 1, 127, 128]> : vector<4xi32>
    %n = arith.trunci %v : vector<4xi32> to vector<4xi8>
    %r = arith.extsi %n : vector<4xi8> to vector<4xi32>)"),
            (Integers{-1, 1, 127, -128}));
}

TEST_F(VectorTest, CarriesVectors) {
  EXPECT_EQ(rowOf(R"(
    %v = arith.constant dense<1> : vector<4xi32>
    %s = vector.step : vector<4xindex>
    %n = arith.index_cast %s : vector<4xindex> to vector<4xi32>
    %sum = tc.seq (%i) = (0) to (3) init(%x = %v : vector<4xi32>) {
      %y = arith.addi %x, %n : vector<4xi32>
      tc.yield %y : vector<4xi32>
    }
    %c3 = arith.constant 3 : index
    %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %sum) -> vector<4xi32> {
      %is = arith.cmpi eq, %i, %c1 : index
      %y = scf.if %is -> vector<4xi32> {
        %z = arith.muli %x, %x : vector<4xi32>
        scf.yield %z : vector<4xi32>
      } else {
        scf.yield %x : vector<4xi32>
      }
      scf.yield %y : vector<4xi32>
    })"),
            (Integers{1, 16, 49, 100}));
}

TEST_F(VectorTest, Reduces) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<2x4xi32>
    %z = arith.constant dense<100> : vector<4xi32>
    %r = vector.multi_reduction <add>, %v, %z [0]
      : vector<2x4xi32> to vector<4xi32>)"),
            (Integers{112, 114, 116, 118}));
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<4xi32>
    %s = vector.reduction <add>, %v : vector<4xi32> into i32
    %t = vector.reduction <maxsi>, %v, %s : vector<4xi32> into i32
    %u = vector.reduction <xor>, %v : vector<4xi32> into i32
    %z = arith.constant 1 : i32
    %w = vector.multi_reduction <mul>, %v, %z [0] : vector<4xi32> to i32
    %r = vector.from_elements %s, %t, %u, %w : vector<4xi32>)"),
            (Integers{22, 22, 0, 840}));
}

TEST_F(VectorTest, Contracts) {
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c0, %c0] : memref<3x4xi32>, vector<2x4xi32>
    %z = arith.constant dense<1> : vector<2x2xi32>
    %p = vector.contract {
      indexing_maps = [affine_map<(i, j, k) -> (i, k)>,
                       affine_map<(i, j, k) -> (j, k)>,
                       affine_map<(i, j, k) -> (i, j)>],
      iterator_types = ["parallel", "parallel", "reduction"]} %v, %v, %z
      : vector<2x4xi32>, vector<2x4xi32> into vector<2x2xi32>
    %r = vector.shape_cast %p : vector<2x2xi32> to vector<4xi32>)"),
            (Integers{15, 39, 39, 127}));
  EXPECT_EQ(rowOf(R"(
    %v = vector.load %a[%c0, %c1] : memref<3x4xi32>, vector<2xi32>
    %w = vector.load %a[%c1, %c0] : memref<3x4xi32>, vector<2xi32>
    %x = arith.constant 10 : i32
    %s = vector.outerproduct %w, %x : vector<2xi32>, i32
    %z = arith.constant dense<100> : vector<2x2xi32>
    %p = vector.outerproduct %v, %s, %z : vector<2xi32>, vector<2xi32>
    %r = vector.shape_cast %p : vector<2x2xi32> to vector<4xi32>)"),
            (Integers{140, 150, 180, 200}));
}

TEST_F(VectorTest, KeepsBits) {
  EXPECT_EQ(rowOf(R"(
    %v = arith.constant dense<[1, 2, 3, 0x44]> : vector<4xi8>
    %b = vector.bitcast %v : vector<4xi8> to vector<1xi32>
    %x = vector.extract %b[0] : i32 from vector<1xi32>
    %f = arith.constant dense<1.5> : vector<1xf64>
    %h = vector.bitcast %f : vector<1xf64> to vector<2xi32>
    %y = vector.extract %h[1] : i32 from vector<2xi32>
    %g = vector.bitcast %h : vector<2xi32> to vector<1xf64>
    %t = arith.fptosi %g : vector<1xf64> to vector<1xi32>
    %z = vector.extract %t[0] : i32 from vector<1xi32>
    %r = vector.from_elements %x, %y, %z, %z : vector<4xi32>)"),
            (Integers{0x44030201, 0x3ff80000, 1, 1}));
}

TEST_F(VectorTest, CountsRoundingsOfElements) {
  Array arguments[] = {realArray({2}, {0.1, 3}), realArray({2}, {0, 0}),
                       integerArray({2}, {0, 0})};
  cantFail(run("%x: memref<2xf32>, %y: memref<2xf32>, %bits: memref<2xi32>", R"(
    %v = vector.load %x[%c0] : memref<2xf32>, vector<2xf32>
    %w = vector.fma %v, %v, %v : vector<2xf32>
    vector.store %w, %y[%c0] : memref<2xf32>, vector<2xf32>
    %b = vector.bitcast %w : vector<2xf32> to vector<2xi32>
    vector.store %b, %bits[%c0] : memref<2xi32>, vector<2xi32>)",
               arguments));
  EXPECT_DOUBLE_EQ(arguments[1].elements[0].value, 0.1 * 0.1 + 0.1);
  EXPECT_GT(arguments[1].elements[0].error(), 0);
  EXPECT_EQ(arguments[1].elements[1].error(), 0);
  // Of what was rounded, the bits are not known.
  EXPECT_FALSE(std::isfinite(arguments[2].elements[0].error()));
  EXPECT_EQ(arguments[2].elements[1].integer, 0x41400000);
}

TEST_F(VectorTest, RefusesWhatItDoesNotKnow) {
  EXPECT_THAT(
      errorOf(R"(
    %v = vector.step : vector<[4]xindex>)"),
      HasSubstr("'vector.step': expected vectors of static extents, got "
                "vector<[4]xindex>"));
  EXPECT_THAT(errorOf(R"(
    %b = memref.alloc() : memref<2xvector<4xi32>>)"),
              HasSubstr("'memref.alloc': expected elements that are numbers, "
                        "got memref<2xvector<4xi32>>"));
  EXPECT_THAT(errorOf(R"(
    %v = arith.constant dense<1> : vector<4xi32>
    %m = vector.constant_mask [2] : vector<4xi1>
    %s = vector.mask %m { vector.reduction <add>, %v : vector<4xi32> into i32 }
      : vector<4xi1> -> i32)"),
              HasSubstr("'vector.mask': op 'vector.mask' has no meaning in the "
                        "reference evaluation"));
}

} // namespace
