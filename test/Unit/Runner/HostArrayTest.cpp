//===- HostArrayTest.cpp - Random arguments -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Run/HostArray.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::tc;

namespace {

NumpyArray randomArray(ElementType type, size_t count, uint64_t seed,
                       uint64_t stream) {
  NumpyArray array;
  array.type = type;
  array.shape = {int64_t(count)};
  array.bytes.resize(count * bytesOf(type));
  fillRandomly(array, seed, stream);
  return array;
}

std::vector<double> randomReals(ElementType type, size_t count, uint64_t seed,
                                uint64_t stream) {
  return toReference(randomArray(type, count, seed, stream)).values();
}

TEST(HostArrayTest, RandomRealsAreUniform) {
  for (ElementType type : {ElementType::f16, ElementType::bf16,
                           ElementType::f32, ElementType::f64}) {
    constexpr size_t count = 100000;
    std::vector<double> values = randomReals(type, count, 1, 0);
    ASSERT_EQ(values.size(), count);
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_GE(*least, -1.0);
    EXPECT_LT(*most, 1.0);
    EXPECT_LT(*least, -0.99);
    EXPECT_GT(*most, 0.99);
    // The mean of n values has deviation 1/sqrt(3 n); five of them, and half a
    // step that 1 is never reached.
    double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    EXPECT_LT(std::fabs(mean), 5 / std::sqrt(3.0 * count) + roundoffOf(type));
  }
}

TEST(HostArrayTest, RandomRealsAreMultiplesOfTheStep) {
  for (ElementType type :
       {ElementType::f8e4m3, ElementType::f8e5m2, ElementType::f16,
        ElementType::bf16, ElementType::f32, ElementType::f64})
    for (double value : randomReals(type, 1000, 7, 3))
      EXPECT_EQ(std::fmod(value, 2 * roundoffOf(type)), 0) << value;
}

TEST(HostArrayTest, RandomIntegersAreSmall) {
  for (ElementType type : {ElementType::i8, ElementType::i16, ElementType::i32,
                           ElementType::i64}) {
    Array array = toReference(randomArray(type, 1000, 1, 0));
    EXPECT_TRUE(array.isInteger);
    std::vector<int64_t> values = array.integers();
    auto [least, most] = std::minmax_element(values.begin(), values.end());
    EXPECT_EQ(*least, -8);
    EXPECT_EQ(*most, 7);
  }
  std::vector<int64_t> bits =
      toReference(randomArray(ElementType::i1, 1000, 1, 0)).integers();
  int64_t set = std::accumulate(bits.begin(), bits.end(), int64_t(0));
  EXPECT_GT(set, 150);
  EXPECT_LT(set, 350);
}

TEST(HostArrayTest, SeedAndStreamChooseTheValues) {
  auto bytes = [](uint64_t seed, uint64_t stream) {
    return randomArray(ElementType::f32, 100, seed, stream).bytes;
  };
  EXPECT_EQ(bytes(1, 0), bytes(1, 0));
  EXPECT_NE(bytes(1, 0), bytes(2, 0));
  EXPECT_NE(bytes(1, 0), bytes(1, 1));
}

TEST(HostArrayTest, ReadsElementsOfEveryType) {
  auto first = [](ElementType type, std::vector<unsigned char> bytes) {
    NumpyArray array;
    array.type = type;
    array.shape = {1};
    array.bytes.assign(bytes.begin(), bytes.end());
    return formatElement(toReference(array), 0);
  };
  EXPECT_EQ(first(ElementType::i1, {1}), "1");
  EXPECT_EQ(first(ElementType::i8, {0xfe}), "-2");
  EXPECT_EQ(first(ElementType::u8, {0xfe}), "254");
  EXPECT_EQ(first(ElementType::i64, {1, 0, 0, 0, 0, 0, 0x20, 0}),
            "9007199254740993");
  EXPECT_EQ(first(ElementType::f16, {0x00, 0x3e}), "1.500000e+00");
  EXPECT_EQ(first(ElementType::bf16, {0xc0, 0xbf}), "-1.500000e+00");
  EXPECT_EQ(first(ElementType::f8e4m3, {0xbc}), "-1.500000e+00");
  EXPECT_EQ(first(ElementType::f8e5m2, {0xbe}), "-1.500000e+00");
  EXPECT_EQ(first(ElementType::c64, {0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0}),
            "(1.500000e+00, -2.000000e+00)");
}

/// To nearest, to even at the middle, and what is too large to the largest.
TEST(HostArrayTest, RoundsToFloatsOf8Bits) {
  const std::tuple<ElementType, double, int> cases[] = {
      {ElementType::f8e4m3, 1.0625, 0x38},    // the middle: 1
      {ElementType::f8e4m3, 1.1875, 0x3a},    // the middle: 1.25
      {ElementType::f8e4m3, 0x1.8p-9, 0x02},  // subnormal
      {ElementType::f8e4m3, -465, 0xfe},      // -448
      {ElementType::f8e4m3, INFINITY, 0x7e},  // 448
      {ElementType::f8e5m2, 1.125, 0x3c},     // 1
      {ElementType::f8e5m2, 1e30, 0x7b},      // 57344
      {ElementType::f8e5m2, -INFINITY, 0xfb}, // -57344
      {ElementType::f8e5m2, 0x1p-17, 0x00},   // half of the smallest
      {ElementType::f8e5m2, 0x1.8p-17, 0x01},
  };
  for (auto [type, value, bits] : cases) {
    char byte = 0;
    writeNumber(type, value, &byte);
    EXPECT_EQ(int(uint8_t(byte)), bits) << nameOf(type).str() << " " << value;
  }
}

TEST(HostArrayTest, GoesToStridedBuffersAndBack) {
  NumpyArray array = randomArray(ElementType::i16, 6, 1, 0);
  array.shape = {2, 3};
  MLIRContext context;
  auto strided = StridedLayoutAttr::get(&context, 5, {1, -2});
  Type type = MemRefType::get({2, 3}, IntegerType::get(&context, 16), strided);
  BufferLayout layout = llvm::cantFail(layoutOf(type, array.shape));
  EXPECT_EQ(layout.elements, 7);
  std::vector<char> buffer = toBuffer(array, layout);
  ASSERT_EQ(buffer.size(), 14u);
  EXPECT_EQ(buffer[2 * 5], array.bytes[0]);
  EXPECT_EQ(buffer[2 * 6], array.bytes[2 * 3]);
  EXPECT_EQ(buffer[2 * 1], array.bytes[2 * 2]);
  NumpyArray back = array;
  back.bytes.assign(back.bytes.size(), 0);
  fromBuffer(buffer, layout, back);
  EXPECT_EQ(back.bytes, array.bytes);
}

TEST(HostArrayTest, RefusesTypesThatCannotRun) {
  MLIRContext context;
  Builder builder(&context);
  auto errorOf = [](Type type, ArrayRef<int64_t> shape = {}) {
    auto array = makeArray(type, shape);
    return array ? std::string() : toString(array.takeError());
  };
  Type f32 = builder.getF32Type();
  EXPECT_EQ(errorOf(MemRefType::get({2, 3}, f32)), "");
  EXPECT_EQ(errorOf(RankedTensorType::get({}, builder.getF64Type())), "");
  EXPECT_EQ(errorOf(MemRefType::get({2}, builder.getI32Type())), "");
  EXPECT_EQ(errorOf(builder.getIndexType()), "");
  EXPECT_EQ(errorOf(MemRefType::get({2}, builder.getIndexType())),
            "expected a memref or tensor of numbers, got memref<2xindex>");
  EXPECT_EQ(errorOf(VectorType::get({2}, f32)),
            "expected a memref or tensor of numbers, got vector<2xf32>");
  Type dynamic = MemRefType::get({ShapedType::kDynamic}, f32);
  EXPECT_EQ(errorOf(dynamic), "expected a value for each dynamic extent of "
                              "memref<?xf32>");
  EXPECT_EQ(errorOf(dynamic, {3}), "");
  int64_t large = int64_t(1) << 40;
  EXPECT_EQ(errorOf(MemRefType::get({large, large}, f32)),
            "expected an array that fits into the memory of this machine, got "
            "memref<1099511627776x1099511627776xf32>");
  EXPECT_EQ(errorOf(MemRefType::get({large, 0, large}, f32)), "");
  Type early =
      MemRefType::get({2}, f32, StridedLayoutAttr::get(&context, 0, {-1}));
  EXPECT_EQ(toString(layoutOf(early, {2}).takeError()),
            "expected a memref that starts inside of its buffer, got "
            "memref<2xf32, strided<[-1]>>");
}

} // namespace
