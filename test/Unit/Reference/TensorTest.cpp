//===- TensorTest.cpp - What frontends put round a contraction ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

class TensorTest : public ::testing::Test {
protected:
  TensorTest() {
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  /// Runs a function of %a = [[0, 1, 2], [3, 4, 5]]; its results.
  std::vector<std::vector<double>> run(StringRef results, StringRef body) {
    module = parseSourceString<ModuleOp>(
        ("func.func @f(%a: memref<2x3xf32>) " + results + " {\n" + body + "\n}")
            .str(),
        &context);
    if (!module)
      return {};
    arguments = {realArray({2, 3}, {0, 1, 2, 3, 4, 5})};
    auto evaluation =
        evaluate(*module->getOps<func::FuncOp>().begin(), arguments);
    if (!evaluation) {
      error = toString(evaluation.takeError());
      return {};
    }
    std::vector<std::vector<double>> values;
    for (const Array &array : evaluation->results)
      values.push_back(array.values());
    return values;
  }

  DialectRegistry registry;
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<Array> arguments;
  std::string error;
};

using Values = std::vector<std::vector<double>>;

TEST_F(TensorTest, BuffersBecomeTensorsAndBack) {
  EXPECT_EQ(run("-> tensor<2x3xf32>", R"(
    %c0 = arith.constant 0 : index
    %x = arith.constant 9.0 : f32
    %t = bufferization.to_tensor %a : memref<2x3xf32> to tensor<2x3xf32>
    memref.store %x, %a[%c0, %c0] : memref<2x3xf32>
    %u = tensor.insert %x into %t[%c0, %c0] : tensor<2x3xf32>
    bufferization.materialize_in_destination %u in writable %a
        : (tensor<2x3xf32>, memref<2x3xf32>) -> ()
    return %t : tensor<2x3xf32>)"),
            (Values{{0, 1, 2, 3, 4, 5}}))
      << error;
  EXPECT_EQ(arguments[0].values(), (std::vector<double>{9, 1, 2, 3, 4, 5}));
}

TEST_F(TensorTest, TensorsAreMadeFromNumbers) {
  EXPECT_EQ(run("-> (tensor<2xf32>, tensor<3xf32>, tensor<2x2xf32>)", R"(
    %x = arith.constant 1.0 : f32
    %y = arith.constant 2.0 : f32
    %from = tensor.from_elements %x, %y : tensor<2xf32>
    %splat = tensor.splat %y : tensor<3xf32>
    %dense = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
    return %from, %splat, %dense
        : tensor<2xf32>, tensor<3xf32>, tensor<2x2xf32>)"),
            (Values{{1, 2}, {2, 2, 2}, {1, 2, 3, 4}}))
      << error;
}

TEST_F(TensorTest, TensorsAreMadeFromTensors) {
  EXPECT_EQ(
      run("-> (tensor<3x2xf32>, tensor<3x4xf32>)", R"(
    %d = arith.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
    %e = arith.constant dense<0.5> : tensor<3x1xf32>
    %c = tensor.concat dim(1) %d, %e
        : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x2xf32>
    %z = arith.constant dense<0.0> : tensor<3x4xf32>
    %i = tensor.insert_slice %c into %z[0, 1] [3, 2] [1, 2]
        : tensor<3x2xf32> into tensor<3x4xf32>
    return %c, %i : tensor<3x2xf32>, tensor<3x4xf32>)"),
      (Values{{1, .5, 2, .5, 3, .5}, {0, 1, 0, .5, 0, 2, 0, .5, 0, 3, 0, .5}}))
      << error;
}

TEST_F(TensorTest, InsertsInsideOnly) {
  run("-> tensor<2xf32>", R"(
    %c2 = arith.constant 2 : index
    %x = arith.constant 1.0 : f32
    %z = arith.constant dense<0.0> : tensor<2xf32>
    %i = tensor.insert %x into %z[%c2] : tensor<2xf32>
    return %i : tensor<2xf32>)");
  EXPECT_NE(error.find("'tensor.insert': slice leaves dimension 0: it has "
                       "index 2, where the extent is 2"),
            std::string::npos)
      << error;
}

TEST_F(TensorTest, EmptyTensorsHoldWhatNobodyWrote) {
  run("-> tensor<2xf32>", R"(
    %e = tensor.empty() : tensor<2xf32>
    %o = arith.constant dense<1.0> : tensor<2xf32>
    %s = linalg.add ins(%e, %o : tensor<2xf32>, tensor<2xf32>)
        outs(%o : tensor<2xf32>) -> tensor<2xf32>
    return %s : tensor<2xf32>)");
  EXPECT_NE(error.find("reads an element that nobody has written"),
            std::string::npos)
      << error;
}

TEST_F(TensorTest, SoftmaxIsWhatItDecomposesInto) {
  Values values = run("-> tensor<2x3xf32>", R"(
    %t = bufferization.to_tensor %a : memref<2x3xf32> to tensor<2x3xf32>
    %e = tensor.empty() : tensor<2x3xf32>
    %s = linalg.softmax dimension(1) ins(%t : tensor<2x3xf32>)
        outs(%e : tensor<2x3xf32>) -> tensor<2x3xf32>
    return %s : tensor<2x3xf32>)");
  ASSERT_EQ(values.size(), 1u) << error;
  double sum = 1 + std::exp(1) + std::exp(2);
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_NEAR(values[0][i], std::exp(i % 3) / sum, 1e-12);
}

TEST_F(TensorTest, SoftmaxOfBuffersMayOverwriteWhatItReads) {
  Values values = run("-> tensor<2x3xf32>", R"(
    linalg.softmax dimension(1) ins(%a : memref<2x3xf32>)
        outs(%a : memref<2x3xf32>)
    %t = bufferization.to_tensor %a : memref<2x3xf32> to tensor<2x3xf32>
    return %t : tensor<2x3xf32>)");
  ASSERT_EQ(values.size(), 1u) << error;
  double sum = 1 + std::exp(1) + std::exp(2);
  for (unsigned i = 0; i != 6; ++i)
    EXPECT_NEAR(values[0][i], std::exp(i % 3) / sum, 1e-12);
}

} // namespace
