//===- AccessTest.cpp - Strides over iterators, by definition -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contracts.h"

#include "mlir/IR/AffineMap.h"

using namespace mlir;
using namespace mlir::tc;

namespace {

/// The value of a constant expression after substitution of `point`.
int64_t evaluate(AffineExpr expr, ArrayRef<int64_t> point) {
  SmallVector<AffineExpr> values;
  for (int64_t value : point)
    values.push_back(getAffineConstantExpr(value, expr.getContext()));
  return cast<AffineConstantExpr>(expr.replaceDims(values)).getValue();
}

/// Calls `body` with every point of the box.
void forEachPoint(ArrayRef<int64_t> extents,
                  function_ref<void(ArrayRef<int64_t>)> body) {
  if (llvm::is_contained(extents, 0))
    return;
  SmallVector<int64_t> point(extents.size(), 0);
  for (;;) {
    body(point);
    size_t d = extents.size();
    while (d > 0 && ++point[d - 1] == extents[d - 1])
      point[--d] = 0;
    if (d == 0)
      return;
  }
}

/// The element of `operand` that subscripts reach, by its layout.
int64_t getPosition(Value operand, AffineMap map, ArrayRef<int64_t> point) {
  auto [strides, offset] =
      cast<MemRefType>(operand.getType()).getStridesAndOffset();
  int64_t position = 0;
  for (auto [stride, subscript] : llvm::zip_equal(strides, map.getResults()))
    position += stride * evaluate(subscript, point);
  return position;
}

void expectAccess(Program &program) {
  ContractOp op = program.op;
  ASSERT_TRUE(op);
  FailureOr<StrideTable> access = getStrideTable(op);
  ASSERT_TRUE(succeeded(access)) << program.messages;
  ASSERT_EQ(access->getNumIterators(), op.getNumIterators());
  ASSERT_EQ(access->inputs.size(), op.getInputs().size());
  auto expectOperand = [&](Value operand, AffineMap map, const Access &got) {
    forEachPoint(access->extents, [&](ArrayRef<int64_t> point) {
      int64_t position = got.offset;
      for (auto [stride, index] : llvm::zip_equal(got.strides, point))
        position += stride * index;
      EXPECT_EQ(position, getPosition(operand, map, point));
    });
  };
  for (auto [i, input] : llvm::enumerate(op.getInputs()))
    expectOperand(input, op.getInputMap(i), access->inputs[i]);
  expectOperand(op.getOutput(), op.getOutputMap(), access->output());
}

TEST(AccessTest, ReachesWhatSubscriptsReach) {
  std::mt19937_64 random(1);
  for (int run = 0; run < 100; ++run) {
    Sample sample = getSample(random, run % 6);
    for (int64_t &extent : sample.extents)
      extent = 1 + extent % 4;
    Program program = sample.build("f32");
    expectAccess(program);
  }
}

TEST(AccessTest, ReachesThroughLayoutsAndSums) {
  Program diagonal({"memref<5x5xf32>", "memref<5xf32>"},
                   "tc.contract (i = 5) ins(%0[i, i] : memref<5x5xf32>) "
                   "outs(%1[i] : memref<5xf32>)");
  expectAccess(diagonal);
  EXPECT_EQ(getStrideTable(diagonal.op)->inputs[0].strides[0], 6);

  Program window({"memref<20x3xf32>", "memref<4xf32>"},
                 "tc.contract (i = 4, w = 3) "
                 "ins(%0[3 * i + 2 * w + 1, w] : memref<20x3xf32>) "
                 "outs(%1[i] : memref<4xf32>)");
  expectAccess(window);
  EXPECT_EQ(getStrideTable(window.op)->inputs[0].offset, 3);
  EXPECT_EQ(getStrideTable(window.op)->inputs[0].strides,
            (SmallVector<int64_t>{9, 7}));

  Program reversed(
      {"memref<4x6xf32, strided<[-1, 8], offset: 3>>", "memref<6x4xf32>"},
      "tc.contract (i = 4, j = 6) ins(%0[i, 5 - j] : "
      "memref<4x6xf32, strided<[-1, 8], offset: 3>>) "
      "outs(%1[j, i] : memref<6x4xf32>)");
  expectAccess(reversed);
  EXPECT_EQ(getStrideTable(reversed.op)->inputs[0].strides,
            (SmallVector<int64_t>{-1, -8}));
}

TEST(AccessTest, TellsClassesApart) {
  Program program(
      {"memref<2x3x5xf32>", "memref<2x5x4xf32>", "memref<2x3x4x6xf32>"},
      "tc.contract (b = 2, i = 3, j = 4, k = 6, q = 5) "
      "ins(%0[b, i, q] : memref<2x3x5xf32>, %1[b, q, j] : memref<2x5x4xf32>) "
      "outs(%2[b, i, j, k] : memref<2x3x4x6xf32>)");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(access));
  SmallVector<uint64_t> varying;
  for (unsigned i = 0; i < 5; ++i)
    varying.push_back(access->getInputsVarying(i));
  EXPECT_EQ(varying, (SmallVector<uint64_t>{3, 1, 2, 0, 3}));
  EXPECT_EQ(access->contracted,
            (SmallVector<bool>{false, false, false, false, true}));
}

TEST(AccessTest, TakesArraysWithoutElements) {
  Program program({"memref<4x0xf32>", "memref<4xf32>"},
                  "tc.contract (i = 4, q = 0) ins(%0[i, q] : memref<4x0xf32>) "
                  "outs(%1[i] : memref<4xf32>)");
  EXPECT_TRUE(succeeded(getStrideTable(program.op)));
}

TEST(AccessTest, ReportsTensors) {
  Program tensors({"tensor<4xf32>"},
                  "%r = tc.contract (i = 4) ins(%0[i] : tensor<4xf32>) "
                  "outs(%0[i] : tensor<4xf32>) -> tensor<4xf32>");
  EXPECT_TRUE(failed(getStrideTable(tensors.op)));
  EXPECT_NE(tensors.messages.find("expected memrefs"), std::string::npos);
}

TEST(AccessTest, EstimatesWhatOnlyTheRunKnows) {
  // Rows of a size known at run time lie densely, as far as one can guess.
  std::string type = "memref<4x?xf32, strided<[?, 1], offset: ?>>";
  Program program({type, "memref<4xf32>"},
                  "tc.contract (i = 4, q = 3) ins(%0[i, 2 * q + 1] : " + type +
                      ") outs(%1[i] : memref<4xf32>)");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(access)) << program.messages;
  const Access &input = access->inputs.front();
  EXPECT_EQ(input.strides, (SmallVector<int64_t>{ShapedType::kDynamic, 2}));
  EXPECT_EQ(input.nominal,
            (SmallVector<int64_t>{estimateExtent(program.op), 2}));
  EXPECT_EQ(access->output().strides, (SmallVector<int64_t>{1, 0}));

  // A subscript other than 0 times an unknown stride moves the offset.
  Program row({type, "memref<3xf32>"},
              "tc.contract (q = 3) ins(%0[2, q] : " + type +
                  ") outs(%1[q] : memref<3xf32>)");
  EXPECT_EQ(getStrideTable(row.op)->inputs.front().offset,
            ShapedType::kDynamic);
}

TEST(AccessTest, EstimatesExtents) {
  Program program({"index", "memref<?xf32>", "memref<?xf32>"},
                  "tc.contract (i = %0) ins(%1[i] : memref<?xf32>) "
                  "outs(%2[i] : memref<?xf32>)");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(access)) << program.messages;
  EXPECT_EQ(access->extents, (SmallVector<int64_t>{ShapedType::kDynamic}));
  EXPECT_EQ(access->nominalExtents, (SmallVector<int64_t>{kNominalExtent}));
  EXPECT_EQ(access->inputs.front().strides, (SmallVector<int64_t>{1}));
}

TEST(AccessTest, ReachesSidesAndEveryResult) {
  Program program(
      {"memref<4x6xf32>", "memref<6x4xf32>", "memref<4xf32>", "memref<4xf32>"},
      "tc.contract (i = 4, q = 6) ins(%0[i, q] : memref<4x6xf32>) "
      "sides(%1[5, i] : memref<6x4xf32>) "
      "outs(%2[i] : memref<4xf32>, %3[3 - i] : memref<4xf32>) overwrite "
      "epilogue (%acc: f32, %s: f32) {\n tc.yield %acc, %s : f32, f32\n}");
  FailureOr<StrideTable> access = getStrideTable(program.op);
  ASSERT_TRUE(succeeded(access)) << program.messages;
  ASSERT_EQ(access->sides.size(), 1u);
  EXPECT_EQ(access->sides[0].offset, 20);
  EXPECT_EQ(access->sides[0].strides, (SmallVector<int64_t>{1, 0}));
  ASSERT_EQ(access->outputs.size(), 2u);
  EXPECT_EQ(access->outputs[1].offset, 3);
  EXPECT_EQ(access->outputs[1].strides, (SmallVector<int64_t>{-1, 0}));
}

TEST(AccessTest, ReportsPositionsBeyond64Bits) {
  for (StringRef type : {"memref<4611686018427387904xf32>",
                         "memref<4611686018427387904xf32, strided<[16]>>",
                         "memref<4611686018427387904xf32, strided<[-1]>>"}) {
    Program program({type.str(), "memref<f32>"},
                    "tc.contract (q = 4611686018427387904) ins(%0[q] : " +
                        type.str() + ") outs(%1[] : memref<f32>)");
    EXPECT_TRUE(failed(getStrideTable(program.op)));
    EXPECT_NE(program.messages.find("less than 2^60"), std::string::npos);
  }
}

} // namespace
