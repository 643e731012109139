//===- ViewTest.cpp - Views of the reference stay in their storage --------===//
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
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <numeric>
#include <random>

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

class ViewTest : public ::testing::Test {
protected:
  ViewTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect,
                     memref::MemRefDialect, tensor::TensorDialect, TCDialect>();
  }

  /// Parses a function that takes indices, a buffer, and the result.
  void parse(StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%a: index, %b: index, %c: index, %d: index, %e: index, "
         "%in: memref<4x6xf64>, %out: memref<1xf64>) {\n" +
         body + "\nreturn }")
            .str(),
        &context);
    ASSERT_TRUE(module);
  }

  /// What went wrong with these numbers; nothing where it is right. Sets `read`
  /// to what is in %out then, which starts as -1.
  std::string run(ArrayRef<int64_t> numbers) {
    std::vector<double> elements(24);
    std::iota(elements.begin(), elements.end(), 0);
    std::vector<Array> arguments;
    for (int64_t number : numbers)
      arguments.push_back(integerArray({}, {number}));
    arguments.push_back(realArray({4, 6}, elements));
    arguments.push_back(realArray({1}, {-1}));
    auto evaluation =
        evaluate(*module->getOps<func::FuncOp>().begin(), arguments);
    read = arguments.back().values().front();
    return evaluation ? "" : toString(evaluation.takeError());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  double read = 0;
};

/// A small number, or one close to where 64 bits end.
int64_t randomNumber(std::mt19937_64 &random) {
  switch (random() % 8) {
  case 0:
    return std::numeric_limits<int64_t>::max() - int64_t(random() % 4);
  case 1:
    return std::numeric_limits<int64_t>::min() + int64_t(random() % 4);
  case 2:
    return int64_t(random());
  case 3:
    return int64_t(1) << (random() % 63);
  default:
    return int64_t(random() % 12) - 3;
  }
}

/// Whether (offset + i * stride0 + j * stride1) is in [0, 24) for all i and j
/// of a size that is not empty.
bool isInside(int64_t offset, ArrayRef<int64_t> sizes,
              ArrayRef<int64_t> strides) {
  if (sizes[0] < 0 || sizes[1] < 0)
    return false;
  if (sizes[0] == 0 || sizes[1] == 0)
    return true;
  __int128 low = offset, high = offset;
  for (unsigned dim = 0; dim != 2; ++dim) {
    __int128 reach = __int128(sizes[dim] - 1) * strides[dim];
    (reach < 0 ? low : high) += reach;
  }
  return low >= 0 && high < 24;
}

TEST_F(ViewTest, LayoutsAreInsideOrRefused) {
  parse(R"(
    %v = tc.view %in (%a, %b, %c, %d, %e)
        <offset = ?, sizes = [?, ?], strides = [?, ?]>
        : memref<4x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
    %s = tc.stage %v pad(-2.0 : f64)
        : memref<?x?xf64, strided<[?, ?], offset: ?>> to memref<2x2xf64>
    %zero = arith.constant 0 : index
    %one = arith.constant 1 : index
    %x = memref.load %s[%one, %one] : memref<2x2xf64>
    memref.store %x, %out[%zero] : memref<1xf64>)");
  std::mt19937_64 random(0);
  unsigned right = 0;
  for (unsigned i = 0; i != 20000; ++i) {
    SmallVector<int64_t> n(5);
    for (int64_t &number : n)
      number = i % 2 ? randomNumber(random) : int64_t(random() % 9) - 2;
    std::string error = run(n);
    // Where strides are 0, sizes of a view may be more than 64 bits count.
    bool overflows = __int128(n[1]) * n[2] >= __int128(1) << 63;
    ASSERT_TRUE(error.empty() == isInside(n[0], {n[1], n[2]}, {n[3], n[4]}) ||
                (overflows && !error.empty()))
        << error << " for "
        << ::testing::PrintToString(std::vector(n.begin(), n.end()));
    if (!error.empty())
      continue;
    ++right;
    bool isThere = n[1] > 1 && n[2] > 1;
    ASSERT_EQ(read, isThere ? double(n[0] + n[3] + n[4]) : -2);
  }
  EXPECT_GT(right, 500u);
}

TEST_F(ViewTest, SlicesAndReshapesNeverLeaveTheBuffer) {
  const char *programs[] = {
      R"(%v = memref.subview %in[%a, 0] [%b, %c] [%d, %e] : memref<4x6xf64>
             to memref<?x?xf64, strided<[?, ?], offset: ?>>
         memref.copy %v, %v : memref<?x?xf64, strided<[?, ?], offset: ?>>
             to memref<?x?xf64, strided<[?, ?], offset: ?>>)",
      R"(%t = memref.reinterpret_cast %in to offset: [%a], sizes: [%b, %c],
             strides: [%d, %e]
             : memref<4x6xf64> to memref<?x?xf64, strided<[?, ?], offset: ?>>
         %v = memref.transpose %t (i, j) -> (j, i)
             : memref<?x?xf64, strided<[?, ?], offset: ?>>
             to memref<?x?xf64, strided<[?, ?], offset: ?>>
         memref.copy %v, %v : memref<?x?xf64, strided<[?, ?], offset: ?>>
             to memref<?x?xf64, strided<[?, ?], offset: ?>>)",
      R"(%u = memref.cast %in : memref<4x6xf64> to memref<?x?xf64>
         %v = memref.expand_shape %u [[0, 1], [2, 3]]
             output_shape [%a, %b, %c, %d] : memref<?x?xf64>
             into memref<?x?x?x?xf64>
         %w = memref.collapse_shape %v [[0, 1, 2], [3]]
             : memref<?x?x?x?xf64> into memref<?x?xf64>
         memref.store %f, %w[%a, %e] : memref<?x?xf64>)"};
  std::mt19937_64 random(1);
  for (const char *program : programs) {
    parse((Twine("%f = arith.constant 1.0 : f64\n") + program).str());
    for (unsigned i = 0; i != 4000; ++i) {
      SmallVector<int64_t> n(5);
      for (int64_t &number : n)
        number = i % 2 ? randomNumber(random) : int64_t(random() % 9) - 2;
      run(n); // under a sanitizer: it accesses only what is there
    }
  }
}

TEST_F(ViewTest, NegativeSizesAreErrorsAtTheOp) {
  parse(R"(
    %v = tc.view %in (%a, %b) <offset = 0, sizes = [?, ?], strides = [6, 1]>
        : memref<4x6xf64> to memref<?x?xf64, strided<[6, 1]>>)");
  EXPECT_EQ(run({2, 3, 0, 0, 0}), "");
  EXPECT_EQ(run({0, 3, 0, 0, 0}), "");
  std::string error = run({4, -1, 0, 0, 0});
  EXPECT_NE(error.find("'tc.view': expected sizes of at least 0, got -1 for "
                       "dimension 1"),
            std::string::npos)
      << error;
  parse("%v = memref.alloc(%a) : memref<?xf64>");
  error = run({-5, 0, 0, 0, 0});
  EXPECT_NE(error.find("'memref.alloc': expected sizes of at least 0, got -5"),
            std::string::npos)
      << error;
}

} // namespace
