//===- TilePictureTest.cpp - A block's tile, laid flat --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/TilePicture.h"

#include "tc/Target/Mma.h"

#include "gtest/gtest.h"

#include <set>

using namespace llvm;
using namespace mlir::tc;

namespace {

/// i and j of a matrix product whose sum is over k.
enum { I, J, K };

Access makeAccess(ArrayRef<int64_t> strides) {
  Access access;
  access.strides.assign(strides.begin(), strides.end());
  access.nominal = access.strides;
  access.bytes = 4;
  return access;
}

ScheduledContraction makeProduct() {
  ScheduledContraction product;
  Workload &work = product.work;
  work.extents = {256, 512, 64};
  work.contracted = {false, false, true};
  work.dynamic = work.apart = work.scalar = {false, false, false};
  work.inputs = {makeAccess({64, 0, 1}), makeAccess({0, 1, 512})};
  work.stored = {makeAccess({512, 1, 0})};
  product.access.names = {"i", "j", "k"};
  TilePlan plan(3);
  plan.thread = {8, 4, 1};
  plan.reg = {2, 4, 1};
  plan.vector = {1, 2, 1};
  plan.step = {1, 1, 8};
  plan.lanes = {{I, 8}, {J, 4}};
  product.plan = plan;
  return product;
}

ResultPlace find(const ScheduledContraction &product, int64_t i, int64_t j) {
  return findResultPlace(product.plan, {i, j, 0}, product.work.contracted);
}

TEST(TilePictureTest, RowsAreOfTheFirstInput) {
  TileAxes axes = getTileAxes(makeProduct());
  EXPECT_EQ(axes.rows.iterators, (SmallVector<unsigned, 4>{I}));
  EXPECT_EQ(axes.columns.iterators, (SmallVector<unsigned, 4>{J}));
  EXPECT_EQ(axes.rows.getSize(), 16);
  EXPECT_EQ(axes.columns.getSize(), 32);
  EXPECT_EQ(axes.terms.getSize(), 8);
}

TEST(TilePictureTest, LastIteratorOfAnAxisIsFastest) {
  TileAxis axis{{I, K}, {3, 4}};
  int64_t indices[3] = {};
  axis.decode(6, indices);
  EXPECT_EQ(indices[I], 1);
  EXPECT_EQ(indices[K], 2);
}

// As `#tc.schedule` says it: thread t holds (t + r * thread) * vector + e.
TEST(TilePictureTest, ThreadsTakeVectorsInTurn) {
  ScheduledContraction product = makeProduct();
  EXPECT_EQ(find(product, 0, 0).thread, 0);
  EXPECT_EQ(find(product, 0, 1).thread, 0); // of the vector
  EXPECT_EQ(find(product, 0, 1).result, 1);
  EXPECT_EQ(find(product, 0, 2).thread, 1);
  EXPECT_EQ(find(product, 0, 8).thread, 0); // the next register
  EXPECT_EQ(find(product, 0, 8).result, 2);
  EXPECT_EQ(find(product, 1, 0).thread, 4);
  EXPECT_EQ(find(product, 8, 0).thread, 0);
  EXPECT_EQ(find(product, 8, 0).result, 8);
}

TEST(TilePictureTest, EachPlaceOfEachThreadIsThereOnce) {
  ScheduledContraction product = makeProduct();
  std::set<std::pair<int64_t, int64_t>> places;
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 32; ++j) {
      ResultPlace place = find(product, i, j);
      EXPECT_LT(place.thread, 32);
      EXPECT_LT(place.result, 16);
      EXPECT_TRUE(places.insert({place.thread, place.result}).second);
    }
}

// PTX ISA, "matrix fragments for mma.m16n8k8": row lane / 4, column 2 * (lane %
// 4) and its neighbour.
TEST(TilePictureTest, LanesOfTensorInstructionsAreThoseOfPtx) {
  ScheduledContraction product = makeProduct();
  product.plan.thread = {16, 4, 1}; // two warps along i
  product.plan.lanes = {{I, 2}, {I, 8}, {J, 4}};
  for (int64_t i = 0; i < 16; ++i)
    for (int64_t j = 0; j < 8; ++j)
      EXPECT_EQ(find(product, i, j).thread, i / 8 * 32 + i % 8 * 4 + j / 2);
}

// [i = 2, j = 4, i = 4]: neighbours along i are neighbouring lanes by fours.
TEST(TilePictureTest, IteratorsMayHaveThreadsTwice) {
  ScheduledContraction product = makeProduct();
  product.plan.lanes = {{I, 2}, {J, 4}, {I, 4}};
  EXPECT_EQ(find(product, 1, 0).thread, 1);
  EXPECT_EQ(find(product, 3, 0).thread, 3);
  EXPECT_EQ(find(product, 4, 0).thread, 16);
  EXPECT_EQ(find(product, 0, 2).thread, 4);
}

TEST(TilePictureTest, DrawsWhatFits) {
  ScheduledContraction product = makeProduct();
  std::string picture = drawTiles(product);
  EXPECT_NE(picture.find("16 \u00d7 16 tiles"), std::string::npos);
  EXPECT_NE(picture.find("16 \u00d7 32 results, 32 threads, 32 to a warp"),
            std::string::npos);
  EXPECT_NE(picture.find(">i 16</text>"), std::string::npos);
  product.plan.reg = {64, 64, 1}; // 512 x 512 results
  EXPECT_NE(drawTiles(product).find("i 512, 128 of 512 drawn"),
            std::string::npos);
}

} // namespace
