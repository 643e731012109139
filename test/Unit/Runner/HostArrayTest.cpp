//===- HostArrayTest.cpp - Random arguments -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArray.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tc;

namespace {

NumpyArray randomArray(unsigned elementBytes, size_t count, uint64_t seed,
                       uint64_t stream) {
  NumpyArray array;
  array.elementBytes = elementBytes;
  array.shape = {int64_t(count)};
  array.bytes.resize(count * elementBytes);
  fillRandomly(array, seed, stream);
  return array;
}

TEST(HostArrayTest, RandomValuesAreUniform) {
  for (unsigned elementBytes : {4, 8}) {
    constexpr size_t count = 100000;
    std::vector<double> values =
        toDoubles(randomArray(elementBytes, count, 1, 0));
    ASSERT_EQ(values.size(), count);
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*least, -1.0);
    EXPECT_LT(*most, 1.0);
    EXPECT_LT(*least, -0.999);
    EXPECT_GT(*most, 0.999);
    // The mean of n values has deviation 1/sqrt(3 n); five of them.
    double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    EXPECT_LT(std::fabs(mean), 5 / std::sqrt(3.0 * count));
  }
}

TEST(HostArrayTest, RandomValuesAreMultiplesOfTheStep) {
  for (double value : toDoubles(randomArray(4, 1000, 7, 3)))
    EXPECT_EQ(std::fmod(value, 0x1p-23), 0) << value;
}

TEST(HostArrayTest, SeedAndStreamChooseTheValues) {
  NumpyArray first = randomArray(4, 100, 1, 0);
  EXPECT_EQ(first.bytes, randomArray(4, 100, 1, 0).bytes);
  EXPECT_NE(first.bytes, randomArray(4, 100, 2, 0).bytes);
  EXPECT_NE(first.bytes, randomArray(4, 100, 1, 1).bytes);
}

TEST(HostArrayTest, RefusesTypesThatCannotRun) {
  MLIRContext context;
  Builder builder(&context);
  auto errorOf = [](Type type) {
    auto array = makeArray(type);
    return array ? std::string() : toString(array.takeError());
  };
  Type f32 = builder.getF32Type();
  EXPECT_EQ(errorOf(MemRefType::get({2, 3}, f32)), "");
  EXPECT_EQ(errorOf(RankedTensorType::get({}, builder.getF64Type())), "");
  EXPECT_EQ(errorOf(builder.getIndexType()),
            "expected a memref or tensor of static shape and element type f32 "
            "or f64, got index");
  EXPECT_NE(errorOf(MemRefType::get({ShapedType::kDynamic}, f32)), "");
  EXPECT_NE(errorOf(MemRefType::get({2}, builder.getI32Type())), "");
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(errorOf(MemRefType::get({large, large}, f32)),
            "expected an array that fits into the memory of this machine, got "
            "memref<1099511627776x1099511627776xf32>");
  EXPECT_EQ(errorOf(MemRefType::get({large, 0, large}, f32)), "");
  EXPECT_EQ(errorOf(MemRefType::get({2}, f32,
                                    StridedLayoutAttr::get(&context, 0, {2}))),
            "expected a memref without a layout, got memref<2xf32, "
            "strided<[2]>>");
}

} // namespace
