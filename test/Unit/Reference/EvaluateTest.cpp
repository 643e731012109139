//===- EvaluateTest.cpp - The reference evaluation ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Arrays.h"

#include "tc/Reference/Reference.h"

#include "tc/Frontend/BuildEinsum.h"
#include "tc/IR/TC.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

#include <cmath>

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

std::vector<double> count(size_t n, double first = 1) {
  std::vector<double> values(n);
  for (size_t i = 0; i != n; ++i)
    values[i] = first + i;
  return values;
}

EinsumProblem problemOf(StringRef subscripts, StringRef extents) {
  return cantFail(makeProblem(cantFail(parseEinsum(subscripts)),
                              cantFail(parseSizes(extents)), ElementType::f64));
}

class EvaluateTest : public ::testing::Test {
protected:
  EvaluateTest() {
    context
        .loadDialect<arith::ArithDialect, func::FuncDialect,
                     linalg::LinalgDialect, math::MathDialect,
                     memref::MemRefDialect, tensor::TensorDialect, TCDialect>();
  }

  /// Runs the only function of `text`.
  Expected<Evaluation> run(StringRef text, MutableArrayRef<Array> arguments) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return createStringError("the test program does not parse");
    return evaluate(*module->getOps<func::FuncOp>().begin(), arguments);
  }

  /// Runs an einsum of f64 operands 1, 2, 3 …; returns the result.
  Array runEinsum(StringRef subscripts, StringRef extents) {
    EinsumProblem problem = problemOf(subscripts, extents);
    module = cantFail(buildEinsum(&context, problem, "einsum"));
    std::vector<Array> arguments;
    for (const EinsumProblem::Operand &operand : problem.inputs)
      arguments.push_back(arrayOf(operand.shape));
    arguments.push_back(arrayOf(problem.output.shape));
    auto function = *module->getOps<func::FuncOp>().begin();
    cantFail(evaluate(function, arguments));
    return arguments.back();
  }

  static Array arrayOf(ArrayRef<int64_t> shape) {
    size_t size = 1;
    for (int64_t extent : shape)
      size *= extent;
    return realArray(shape, count(size));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(EvaluateTest, MultipliesMatrices) {
  Array result = runEinsum("ik,kj->ij", "i=2,k=3,j=2");
  // [1 2 3; 4 5 6] * [1 2; 3 4; 5 6]
  EXPECT_EQ(result.values(), (std::vector<double>{22, 28, 49, 64}));
  for (const Scalar &element : result.elements) {
    EXPECT_EQ(element.magnitude, element.value);
    // 3 sums and 1 product, in f64, and as many of the reference
    EXPECT_EQ(element.roundoff, 2 * 4 * 0x1p-53);
  }
}

TEST_F(EvaluateTest, FollowsPermutedLayouts) {
  Array result = runEinsum("ki,jk->ji", "i=2,k=3,j=2");
  // transpose([1 2; 3 4; 5 6]) and transpose([1 2 3; 4 5 6])
  EXPECT_EQ(result.values(), (std::vector<double>{22, 28, 49, 64}));
}

TEST_F(EvaluateTest, HandlesEveryIndexClass) {
  EXPECT_EQ(runEinsum("bi,bi->b", "b=2,i=2").values(),
            (std::vector<double>{5, 25})); // batch
  EXPECT_EQ(runEinsum("i,j->ij", "i=2,j=2").values(),
            (std::vector<double>{1, 2, 2, 4})); // outer product
  EXPECT_EQ(runEinsum("ij,k->k", "i=2,j=2,k=2").values(),
            (std::vector<double>{10, 20})); // summed in one operand
  EXPECT_EQ(runEinsum("ii->i", "i=3").values(),
            (std::vector<double>{1, 5, 9})); // diagonal
  EXPECT_EQ(runEinsum("ii->", "i=3").values(), (std::vector<double>{15}));
  EXPECT_EQ(runEinsum("i,i,i->", "i=3").values(),
            (std::vector<double>{36})); // three operands
  EXPECT_EQ(runEinsum(",->", "").values(), (std::vector<double>{1}));
}

TEST_F(EvaluateTest, ZeroExtentsGiveNeutralOrEmptyResults) {
  EXPECT_EQ(runEinsum("ik,kj->ij", "i=2,k=0,j=2").values(),
            (std::vector<double>{0, 0, 0, 0}));
  EXPECT_TRUE(runEinsum("ik,kj->ij", "i=0,k=3,j=2").values().empty());
}

TEST_F(EvaluateTest, MagnitudeKeepsTheSizeOfCancelledTerms) {
  Array arguments[] = {realArray({2}, {3, -3}), realArray({2}, {5, 5}),
                       realArray({}, {7})};
  auto evaluation = run(R"(
    func.func @dot(%a: memref<2xf32>, %b: memref<2xf32>, %c: memref<f32>) {
      linalg.dot ins(%a, %b : memref<2xf32>, memref<2xf32>)
                 outs(%c : memref<f32>)
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[2].values(), std::vector<double>{7});
  EXPECT_EQ(arguments[2].elements[0].magnitude, 37);
}

TEST_F(EvaluateTest, RunsTensorProgramsInOrder) {
  Array arguments[] = {realArray({2, 2}, {1, 2, 3, 4}),
                       realArray({2, 2}, {1, 0, 0, 1})};
  auto evaluation = run(R"(
    func.func @two(%a: tensor<2x2xf32>, %b: tensor<2x2xf32>)
        -> (tensor<2x2xf32>, tensor<2x2xf32>) {
      %zero = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<2x2xf32>
      %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x2xf32>)
          -> tensor<2x2xf32>
      %0 = linalg.matmul ins(%a, %b : tensor<2x2xf32>, tensor<2x2xf32>)
                         outs(%init : tensor<2x2xf32>) -> tensor<2x2xf32>
      %1 = linalg.matmul ins(%0, %a : tensor<2x2xf32>, tensor<2x2xf32>)
                         outs(%0 : tensor<2x2xf32>) -> tensor<2x2xf32>
      return %1, %init : tensor<2x2xf32>, tensor<2x2xf32>
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  ASSERT_EQ(evaluation->results.size(), 2u);
  EXPECT_EQ(evaluation->results[0].values(),
            (std::vector<double>{8, 12, 18, 26}));
  EXPECT_EQ(evaluation->results[1].values(), (std::vector<double>{0, 0, 0, 0}));
  EXPECT_EQ(arguments[0].values(), (std::vector<double>{1, 2, 3, 4}));
}

TEST_F(EvaluateTest, InterpretsAnyRegion) {
  // out[i] = max(out[i], sqrt(a[i, j]) + j) with a window a[i + w].
  Array arguments[] = {realArray({4}, {16, 1, 4, 9}), realArray({3}, {0, 0, 9}),
                       realArray({2}, {0, 0})};
  auto evaluation = run(R"(
    func.func @window(%a: memref<4xf32>, %out: memref<3xf32>,
                      %w: memref<2xf32>) {
      linalg.generic {
          indexing_maps = [affine_map<(i, w) -> (i + w)>,
                           affine_map<(i, w) -> (w)>,
                           affine_map<(i, w) -> (i)>],
          iterator_types = ["parallel", "reduction"]}
          ins(%a, %w : memref<4xf32>, memref<2xf32>)
          outs(%out : memref<3xf32>) {
        ^bb0(%x: f32, %y: f32, %acc: f32):
          %root = math.sqrt %x : f32
          %j = linalg.index 1 : index
          %k = arith.index_cast %j : index to i32
          %l = arith.sitofp %k : i32 to f32
          %s = arith.addf %root, %l : f32
          %m = arith.maximumf %acc, %s : f32
          linalg.yield %m : f32
      }
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[1].values(), (std::vector<double>{4, 3, 9}));
}

TEST_F(EvaluateTest, BroadcastsToIteratorsOfTheResultAlone) {
  Array arguments[] = {realArray({2}, {1, 2}), realArray({2, 3}, count(6))};
  auto evaluation = run(R"(
    func.func @broadcast(%a: memref<2xf64>, %out: memref<2x3xf64>) {
      linalg.generic {
          indexing_maps = [affine_map<(i, j) -> (i)>,
                           affine_map<(i, j) -> (i, j)>],
          iterator_types = ["parallel", "parallel"]}
          ins(%a : memref<2xf64>) outs(%out : memref<2x3xf64>) {
        ^bb0(%x: f64, %acc: f64):
          %s = arith.addf %acc, %x : f64
          linalg.yield %s : f64
      }
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[1].values(), (std::vector<double>{2, 3, 4, 6, 7, 8}));
}

TEST_F(EvaluateTest, SeesThroughViewsAndDynamicShapes) {
  Array arguments[] = {realArray({4, 4}, count(16, 0)), realArray({2}, {0, 0})};
  auto evaluation = run(R"(
    func.func @views(%a: memref<?x4xf64>, %out: memref<2xf64>) {
      %c0 = arith.constant 0 : index
      %n = memref.dim %a, %c0 : memref<?x4xf64>
      %c2 = arith.constant 2 : index
      %last = arith.subi %n, %c2 : index
      %s = memref.subview %a[%last, 1] [1, 2] [1, 2]
          : memref<?x4xf64> to memref<2xf64, strided<[2], offset: ?>>
      memref.copy %s, %out
          : memref<2xf64, strided<[2], offset: ?>> to memref<2xf64>
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[1].values(), (std::vector<double>{9, 11}));
}

TEST_F(EvaluateTest, FindsWrittenArguments) {
  Array arguments[] = {realArray({2}, {1, 2}), realArray({4}, count(4))};
  auto evaluation = run(R"(
    func.func @through(%a: memref<2xf64>, %out: memref<4xf64>) {
      %s = memref.subview %out[2] [2] [1]
          : memref<4xf64> to memref<2xf64, strided<[1], offset: 2>>
      linalg.copy ins(%a : memref<2xf64>)
                  outs(%s : memref<2xf64, strided<[1], offset: 2>>)
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[1].values(), (std::vector<double>{1, 2, 1, 2}));
  EXPECT_EQ(findWrittenArguments(*module->getOps<func::FuncOp>().begin()),
            (SmallVector<bool>{false, true}));
}

TEST_F(EvaluateTest, FindsWritesThroughTransposes) {
  module = parseSourceString<ModuleOp>(R"(
    func.func @write(%x: f64, %a: memref<2x3xf64>) {
      %t = memref.transpose %a (i, j) -> (j, i)
          : memref<2x3xf64> to memref<3x2xf64, strided<[1, 3]>>
      linalg.fill ins(%x : f64) outs(%t : memref<3x2xf64, strided<[1, 3]>>)
      return
    })",
                                       &context);
  ASSERT_TRUE(module);
  EXPECT_EQ(findWrittenArguments(*module->getOps<func::FuncOp>().begin()),
            (SmallVector<bool>{false, true}));
}

TEST_F(EvaluateTest, RefusesWhatItDoesNotKnow) {
  Array arguments[] = {realArray({2}, {1, 2})};
  auto evaluation = run(R"(
    func.func @load(%a: memref<2xf64>) {
      %c0 = arith.constant 0 : index
      %x = memref.load %a[%c0] : memref<2xf64>
      %y = arith.bitcast %x : f64 to i64
      return
    })",
                        arguments);
  ASSERT_FALSE(bool(evaluation));
  EXPECT_NE(toString(evaluation.takeError())
                .find("'arith.bitcast': op 'arith.bitcast' has no meaning"),
            std::string::npos);
}

TEST_F(EvaluateTest, RefusesBuffersThatDoNotFit) {
  Array arguments[] = {realArray({2}, {1, 2})};
  auto evaluation = run(R"(
    func.func @large(%a: memref<2xf64>) {
      %b = memref.alloc() : memref<1000000x1000000xf64>
      return
    })",
                        arguments);
  ASSERT_FALSE(bool(evaluation));
  EXPECT_NE(
      toString(evaluation.takeError())
          .find("expected the values of the reference to fit into memory, "
                "got 1000000000000 elements"),
      std::string::npos);
}

TEST_F(EvaluateTest, RefusesReadsOutsideAnOperand) {
  Array arguments[] = {realArray({5}, count(5)), realArray({4}, count(4))};
  auto evaluation = run(R"(
    func.func @outside(%a: memref<?xf64>, %out: memref<4xf64>) {
      linalg.copy ins(%a : memref<?xf64>) outs(%out : memref<4xf64>)
      return
    })",
                        arguments);
  ASSERT_FALSE(bool(evaluation));
  EXPECT_NE(toString(evaluation.takeError())
                .find("'linalg.copy': reads index 4 of dimension 0, which has "
                      "extent 4"),
            std::string::npos);
  Array wrong[] = {realArray({3}, {1, 2, 3}), realArray({3}, count(3))};
  evaluation = run("func.func @f(%a: memref<3xf64>, %b: memref<4xf64>) "
                   "{ return }",
                   wrong);
  ASSERT_FALSE(bool(evaluation));
  EXPECT_EQ(toString(evaluation.takeError()),
            "array for argument 1 does not have its type");
}

TEST_F(EvaluateTest, RefusesSubscriptsBeyond64Bits) {
  Array arguments[] = {realArray({5}, count(5)), realArray({4}, count(4))};
  auto evaluation = run(R"(
    func.func @far(%a: memref<?xf64>, %out: memref<4xf64>) {
      linalg.generic {
          indexing_maps = [affine_map<(i) -> (i * 4611686018427387904)>,
                           affine_map<(i) -> (i)>],
          iterator_types = ["parallel"]}
          ins(%a : memref<?xf64>) outs(%out : memref<4xf64>) {
      ^bb0(%x: f64, %y: f64):
        linalg.yield %x : f64
      }
      return
    })",
                        arguments);
  ASSERT_FALSE(bool(evaluation));
  EXPECT_NE(toString(evaluation.takeError())
                .find("indexes dimension 0 beyond 64 bits"),
            std::string::npos);
}

TEST_F(EvaluateTest, RunsContractions) {
  Array arguments[] = {realArray({2, 2}, {1, 2, 3, 4}), realArray({2}, {5, 6}),
                       realArray({2}, {7, 7}), realArray({2}, {7, 7})};
  auto evaluation = run(R"(
    func.func @contract(%a: memref<2x2xf64>, %b: memref<2xf64>,
                        %c: memref<2xf64>, %d: memref<2xf64>) {
      tc.contract (i = 2, k = 2)
          ins(%a[i, k] : memref<2x2xf64>, %b[1 - k] : memref<2xf64>)
          outs(%c[i] : memref<2xf64>)
      tc.contract (i = 2, k = 2)
          ins(%a[i, k] : memref<2x2xf64>, %b[k] : memref<2xf64>)
          outs(%d[i] : memref<2xf64>) overwrite
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[2].values(), (std::vector<double>{23, 45}));
  EXPECT_EQ(arguments[3].values(), (std::vector<double>{17, 39}));
  EXPECT_EQ(findWrittenArguments(*module->getOps<func::FuncOp>().begin()),
            (SmallVector<bool>{false, false, true, true}));
}

TEST_F(EvaluateTest, RunsContractionsWithRegions) {
  // A shortest path: min over k of a[i, k] + b[k], from infinity.
  Array arguments[] = {realArray({2, 2}, {1, 2, 3, -4}), realArray({2}, {5, 6}),
                       realArray({2}, {-70, 7})};
  auto evaluation = run(R"(
    func.func @path(%a: memref<2x2xf64>, %b: memref<2xf64>,
                    %c: memref<2xf64>) {
      tc.contract (i = 2, k = 2)
          ins(%a[i, k] : memref<2x2xf64>, %b[k] : memref<2xf64>)
          outs(%c[i] : memref<2xf64>) overwrite
          neutral(0x7FF0000000000000 : f64)
          map (%x: f64, %y: f64) {
            %s = arith.addf %x, %y : f64
            tc.yield %s : f64
          } combine associative commutative (%u: f64, %v: f64) {
            %m = arith.minimumf %u, %v : f64
            tc.yield %m : f64
          }
      return
    })",
                        arguments);
  ASSERT_TRUE(bool(evaluation)) << toString(evaluation.takeError());
  EXPECT_EQ(arguments[2].values(), (std::vector<double>{6, 2}));
}

/// A second evaluation of an einsum, by plain counting over all iterators.
std::vector<double> countOver(const EinsumProblem &problem,
                              ArrayRef<std::vector<double>> inputs) {
  SmallVector<int64_t> index(problem.iterators.size(), 0);
  auto offset = [&](const EinsumProblem::Operand &operand) {
    int64_t at = 0;
    for (auto [extent, iterator] : llvm::zip(operand.shape, operand.iterators))
      at = at * extent + index[*iterator];
    return at;
  };
  int64_t size = 1;
  for (int64_t extent : problem.output.shape)
    size *= extent;
  std::vector<double> result(size, 0.0);
  for (bool done = false; !done;) {
    double product = 1;
    for (auto [operand, values] : llvm::zip(problem.inputs, inputs))
      product *= values[offset(operand)];
    result[offset(problem.output)] += product;
    done = true;
    for (size_t d = index.size(); d-- != 0 && done;) {
      done = ++index[d] == problem.iterators[d].extent;
      if (done)
        index[d] = 0;
    }
  }
  return result;
}

TEST_F(EvaluateTest, AgreesWithPlainCounting) {
  struct Case {
    StringRef subscripts, extents;
  } cases[] = {{"icaq,qbjk->abcijk", "a=2,b=3,c=2,i=3,j=2,k=5,q=4"},
               {"aged,cbfg->fedcba", "a=2,b=3,c=2,d=2,e=3,f=2,g=5"},
               {"dca,cbd->ba", "a=3,b=2,c=4,d=5"},
               {"bij,bjb->ib", "b=3,i=2,j=4"}};
  for (const Case &c : cases) {
    Array result = runEinsum(c.subscripts, c.extents);
    EinsumProblem problem = problemOf(c.subscripts, c.extents);
    std::vector<std::vector<double>> inputs;
    for (const EinsumProblem::Operand &operand : problem.inputs)
      inputs.push_back(arrayOf(operand.shape).values());
    EXPECT_EQ(result.values(), countOver(problem, inputs))
        << c.subscripts.str();
  }
}

} // namespace
