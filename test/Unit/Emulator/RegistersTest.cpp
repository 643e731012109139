//===- RegistersTest.cpp - Tests of registers of bodies -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Time/Registers.h"

#include "gtest/gtest.h"

using namespace tc::emulator;

namespace {

BodyOp makeOp(llvm::SmallVector<uint32_t, 4> reads,
              llvm::SmallVector<uint32_t, 4> writes) {
  return {0, 0, false, std::move(reads), std::move(writes)};
}

/// Registers 0 to 2 live in or out; values 3 and on are the body's own.
Body assign(std::vector<BodyOp> ops, std::vector<uint8_t> widths) {
  Body body;
  body.ops = std::move(ops);
  assignRegisters(body, widths, {0, 1}, {2});
  return body;
}

TEST(Registers, AreFreeBehindTheLastReader) {
  Body body = assign({makeOp({0}, {3}), makeOp({3}, {4}), makeOp({4, 1}, {5}),
                      makeOp({5}, {2})},
                     {1, 1, 1, 1, 1, 1});
  uint32_t first = body.ops[0].writes[0];
  EXPECT_GE(first, 6u);
  EXPECT_EQ(body.ops[1].reads[0], first);
  // A result may be where its own operand was.
  EXPECT_EQ(body.ops[1].writes[0], first);
  EXPECT_EQ(body.ops[2].writes[0], first);
  EXPECT_EQ(body.registers, 7u);
}

TEST(Registers, OfValuesThatLiveTogetherDiffer) {
  Body body = assign({makeOp({0}, {3}), makeOp({1}, {4}), makeOp({3}, {5}),
                      makeOp({4, 5}, {2})},
                     {1, 1, 1, 1, 1, 1});
  EXPECT_NE(body.ops[0].writes[0], body.ops[1].writes[0]);
  // The lowest that is free.
  EXPECT_EQ(body.ops[2].writes[0], body.ops[0].writes[0]);
  EXPECT_EQ(body.ops[3].reads[0], body.ops[1].writes[0]);
}

TEST(Registers, KeepTheirWidthAndTheirPlaceOutside) {
  Body body = assign({makeOp({0}, {3}), makeOp({3}, {4}), makeOp({4, 1}, {2})},
                     {1, 1, 1, 2, 1, 1});
  EXPECT_NE(body.ops[1].writes[0], body.ops[0].writes[0]);
  EXPECT_EQ(body.ops[0].reads[0], 0u);
  EXPECT_EQ(body.ops[2].reads[1], 1u);
  EXPECT_EQ(body.ops[2].writes[0], 2u);
}

// The next one would have to wait for it.
TEST(Registers, OfWhatNobodyReadsAreItsOwn) {
  Body body = assign({makeOp({0}, {3}), makeOp({1}, {4}), makeOp({0}, {2})},
                     {1, 1, 1, 1, 1});
  EXPECT_NE(body.ops[0].writes[0], body.ops[1].writes[0]);
}

} // namespace
