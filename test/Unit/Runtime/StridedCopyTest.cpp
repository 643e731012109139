//===- StridedCopyTest.cpp - Copies between strided buffers ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A driver that copies at once, and counts its calls.
//
//===----------------------------------------------------------------------===//

#include "Runtime/StridedCopy.h"

#include "gtest/gtest.h"

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

using namespace tc::runtime;

namespace {
int numStretches = 0, numRows = 0;

CUresult copyStretch(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream) {
  ++numStretches;
  std::memcpy(reinterpret_cast<void *>(to), reinterpret_cast<void *>(from),
              bytes);
  return CUDA_SUCCESS;
}

CUresult copyRows(const CUDA_MEMCPY2D *copy, CUstream) {
  ++numRows;
  EXPECT_GE(copy->dstPitch, copy->WidthInBytes);
  EXPECT_GE(copy->srcPitch, copy->WidthInBytes);
  for (size_t row = 0; row != copy->Height; ++row)
    std::memcpy(
        reinterpret_cast<void *>(copy->dstDevice + row * copy->dstPitch),
        reinterpret_cast<void *>(copy->srcDevice + row * copy->srcPitch),
        copy->WidthInBytes);
  return CUDA_SUCCESS;
}

class StridedCopyTest : public ::testing::Test {
protected:
  StridedCopyTest() {
    numStretches = numRows = 0;
    driver.cuMemcpyAsync = copyStretch;
    driver.cuMemcpy2DAsync_v2 = copyRows;
  }

  /// Copies a box of elements of 4 bytes, from the middle of one buffer to that
  /// of another, and compares with loops.
  void check(const std::vector<int64_t> &extents,
             const std::vector<int64_t> &toStrides,
             const std::vector<int64_t> &fromStrides) {
    constexpr int64_t size = 1 << 14;
    std::vector<int32_t> to(size, -1), from(size), expected(size, -1);
    std::iota(from.begin(), from.end(), 0);
    std::vector<int64_t> shape(extents);
    shape.insert(shape.end(), toStrides.begin(), toStrides.end());
    shape.insert(shape.end(), fromStrides.begin(), fromStrides.end());
    auto rank = static_cast<int64_t>(extents.size());
    int64_t count = std::accumulate(extents.begin(), extents.end(), int64_t(1),
                                    std::multiplies<>());
    for (int64_t number = 0; number != count; ++number) {
      int64_t rest = number, toPlace = size / 2, fromPlace = size / 2;
      for (int64_t i = rank; i-- != 0; rest /= extents[i]) {
        toPlace += rest % extents[i] * toStrides[i];
        fromPlace += rest % extents[i] * fromStrides[i];
      }
      expected[toPlace] = from[fromPlace];
    }
    EXPECT_EQ(
        copyStrided(driver,
                    {&to[size / 2], &from[size / 2], 4, rank, shape.data()},
                    nullptr),
        CUDA_SUCCESS);
    EXPECT_EQ(to, expected);
  }

  Driver driver = {};
};
} // namespace

TEST_F(StridedCopyTest, WhatIsDenseIsOneStretch) {
  check({4, 5, 6}, {30, 6, 1}, {30, 6, 1});
  check({6, 5, 4}, {1, 6, 30}, {1, 6, 30}); // in another order
  check({1, 7, 1}, {0, 1, 99}, {5, 1, 3});
  check({}, {}, {});
  EXPECT_EQ(numStretches, 4);
  EXPECT_EQ(numRows, 0);
}

TEST_F(StridedCopyTest, RowsOfOnePitchAreOneCall) {
  check({8, 5}, {5, 1}, {40, 1});
  check({2, 4, 5}, {20, 5, 1}, {160, 40, 1}); // eight rows
  check({8}, {2}, {3});                       // of one element
  check({4, 6}, {1, 4}, {6, 1});              // six columns of four
  EXPECT_EQ(numRows, 3 + 6);
  EXPECT_EQ(numStretches, 0);
}

TEST_F(StridedCopyTest, WhatIsNotIsALoop) {
  check({3, 4, 5}, {20, 5, 1}, {200, 40, 1});
  EXPECT_EQ(numRows, 3);
  check({9}, {1}, {-1}); // no pitch is negative
  check({4, 5}, {5, 1}, {0, 1});
  EXPECT_EQ(numRows, 3);
  EXPECT_EQ(numStretches, 9 + 4);
}

TEST_F(StridedCopyTest, NothingIsNoCall) {
  check({3, 0, 5}, {5, 5, 1}, {5, 5, 1});
  EXPECT_EQ(numRows + numStretches, 0);
}

TEST_F(StridedCopyTest, WithoutCopiesOfRows) {
  driver.cuMemcpy2DAsync_v2 = nullptr;
  check({8, 5}, {5, 1}, {40, 1});
  EXPECT_EQ(numStretches, 8);
}

TEST_F(StridedCopyTest, IsRightForAnyStrides) {
  std::mt19937 source(7);
  auto choose = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(source);
  };
  for (int run = 0; run != 500; ++run) {
    size_t rank = choose(0, 4);
    std::vector<int64_t> extents, to(rank), from;
    for (size_t i = 0; i != rank; ++i) {
      extents.push_back(choose(0, 4));
      from.push_back(choose(-40, 40));
    }
    // Places in the target are distinct: dimensions in any order, with gaps.
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), source);
    int64_t stride = 1;
    for (size_t i : order) {
      stride += choose(0, 2);
      to[i] = choose(0, 3) == 0 ? -stride : stride;
      stride *= std::max<int64_t>(extents[i], 1);
    }
    check(extents, to, from);
  }
}
