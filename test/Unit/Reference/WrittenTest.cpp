//===- WrittenTest.cpp - Which arguments a function writes ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Reference/Reference.h"

#include "tc/IR/TC.h"

#include "mlir/InitAllDialects.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

/// Each way to write argument %w; %r is only read.
struct Way {
  const char *name, *body;
};

const Way ways[] = {
    {"Store", "memref.store %x, %w[%i] : memref<8xf32>"},
    {"AffineStore", "affine.store %x, %w[0] : memref<8xf32>"},
    {"Copy", "memref.copy %r, %w : memref<8xf32> to memref<8xf32>"},
    {"LinalgCopy", "linalg.copy ins(%r : memref<8xf32>) "
                   "outs(%w : memref<8xf32>)"},
    {"Contract", "tc.contract (n = 8) ins(%r[n] : memref<8xf32>) "
                 "outs(%w[n] : memref<8xf32>)"},
    {"AtomicUpdate", "memref.atomic_rmw addf %x, %w[%i] "
                     ": (f32, memref<8xf32>) -> f32"},
    {"VectorStore", R"(
       %v = vector.broadcast %x : f32 to vector<4xf32>
       vector.store %v, %w[%i] : memref<8xf32>, vector<4xf32>)"},
    {"TransferWrite", R"(
       %v = vector.broadcast %x : f32 to vector<4xf32>
       vector.transfer_write %v, %w[%i] : vector<4xf32>, memref<8xf32>)"},
    {"NestedViews", R"(
       %s = memref.subview %w[0] [4] [2]
           : memref<8xf32> to memref<4xf32, strided<[2]>>
       %t = memref.subview %s[1] [2] [1] : memref<4xf32, strided<[2]>>
           to memref<2xf32, strided<[2], offset: 2>>
       memref.store %x, %t[%i] : memref<2xf32, strided<[2], offset: 2>>)"},
    {"Reshapes", R"(
       %s = memref.expand_shape %w [[0, 1]] output_shape [2, 4]
           : memref<8xf32> into memref<2x4xf32>
       %t = memref.collapse_shape %s [[0, 1]]
           : memref<2x4xf32> into memref<8xf32>
       memref.store %x, %t[%i] : memref<8xf32>)"},
    {"Casts", R"(
       %s = memref.cast %w : memref<8xf32> to memref<?xf32>
       %t = memref.reinterpret_cast %s to offset: [0], sizes: [4], strides: [2]
           : memref<?xf32> to memref<4xf32, strided<[2]>>
       memref.store %x, %t[%i] : memref<4xf32, strided<[2]>>)"},
    {"View", R"(
       %s = tc.view %w <offset = 7, sizes = [8], strides = [-1]>
           : memref<8xf32> to memref<8xf32, strided<[-1], offset: 7>>
       memref.store %x, %s[%i] : memref<8xf32, strided<[-1], offset: 7>>)"},
    {"CarriedByALoop", R"(
       %s = memref.alloc() : memref<8xf32>
       %l:2 = scf.for %k = %i to %i step %i iter_args(%p = %w, %q = %s)
           -> (memref<8xf32>, memref<8xf32>) {
         memref.store %x, %q[%i] : memref<8xf32>
         scf.yield %q, %p : memref<8xf32>, memref<8xf32>
       })"},
    {"ResultOfALoop", R"(
       %l = scf.for %k = %i to %i step %i iter_args(%p = %w)
           -> (memref<8xf32>) {
         scf.yield %p : memref<8xf32>
       }
       memref.store %x, %l[%i] : memref<8xf32>)"},
    {"ResultOfAnIf", R"(
       %s = memref.alloc() : memref<8xf32>
       %l = scf.if %c -> (memref<8xf32>) {
         scf.yield %s : memref<8xf32>
       } else {
         scf.yield %w : memref<8xf32>
       }
       memref.store %x, %l[%i] : memref<8xf32>)"},
    {"CarriedByAWhile", R"(
       %l = scf.while (%p = %w) : (memref<8xf32>) -> memref<8xf32> {
         scf.condition(%c) %p : memref<8xf32>
       } do {
       ^bb0(%q: memref<8xf32>):
         memref.store %x, %q[%i] : memref<8xf32>
         scf.yield %q : memref<8xf32>
       })"},
    {"Select", R"(
       %s = memref.alloc() : memref<8xf32>
       %l = arith.select %c, %s, %w : memref<8xf32>
       memref.store %x, %l[%i] : memref<8xf32>)"},
    {"Branch", R"(
       cf.br ^next(%w : memref<8xf32>)
     ^next(%l: memref<8xf32>):
       memref.store %x, %l[%i] : memref<8xf32>)"},
    {"Materialize", R"(
       %t = bufferization.to_tensor %r : memref<8xf32> to tensor<8xf32>
       bufferization.materialize_in_destination %t in writable %w
           : (tensor<8xf32>, memref<8xf32>) -> ())"},
    {"TensorAndBack", R"(
       %t = bufferization.to_tensor %w : memref<8xf32> to tensor<8xf32>
       %b = bufferization.to_buffer %t : tensor<8xf32> to memref<8xf32>
       memref.store %x, %b[%i] : memref<8xf32>)"},
    {"Call", "func.call @g(%w) : (memref<8xf32>) -> ()"},
    {"InNests", R"(
       tc.par (%k) = (0) to (8) {
         tc.seq (%j) = (0) to (1) {
           memref.store %x, %w[%k] : memref<8xf32>
         }
       })"},
};

class WrittenTest : public ::testing::TestWithParam<Way> {};

TEST_P(WrittenTest, IsSeen) {
  DialectRegistry registry;
  registerAllDialects(registry);
  registry.insert<TCDialect>();
  MLIRContext context(registry);
  auto module = parseSourceString<ModuleOp>(
      (Twine("func.func private @g(memref<8xf32>)\n"
             "func.func @f(%x: f32, %i: index, %c: i1, %r: memref<8xf32>, "
             "%w: memref<8xf32>) {\n") +
       GetParam().body + "\n%y = memref.load %r[%i] : memref<8xf32>\nreturn }")
          .str(),
      &context);
  ASSERT_TRUE(module);
  EXPECT_EQ(findWrittenArguments(module->lookupSymbol<func::FuncOp>("f")),
            (SmallVector<bool>{false, false, false, false, true}));
}

INSTANTIATE_TEST_SUITE_P(Ways, WrittenTest, ::testing::ValuesIn(ways),
                         [](const testing::TestParamInfo<Way> &way) {
                           return way.param.name;
                         });

} // namespace
