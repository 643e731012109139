//===- GpuBinaryTest.cpp - The contents of gpu.binary ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/GpuBinary.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

class GpuBinaryTest : public ::testing::Test {
protected:
  GpuBinaryTest() {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        NVVM::NVVMDialect>();
  }
  ModuleOp parse(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    return *module;
  }
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

constexpr StringLiteral program = R"(
module attributes {gpu.container_module} {
  gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_80">,
                                   assembly = ".version 8.0\00">]
  func.func @host(%n: index) {
    %c1 = arith.constant 1 : index
    %c7 = arith.constant 7 : index
    %c64 = arith.constant 64 : index
    %bytes = arith.constant 4096 : i32
    gpu.launch_func @kernels::@main
        blocks in (%c7, %n, %c1) threads in (%c64, %c1, %c1)
        dynamic_shared_memory_size %bytes
    return
  }
})";

TEST_F(GpuBinaryTest, ReadsTheText) {
  ModuleOp op = parse(program);
  ASSERT_TRUE(op);
  auto binaries = readGpuBinaries(op);
  ASSERT_TRUE(bool(binaries)) << toString(binaries.takeError());
  ASSERT_EQ(binaries->size(), 1u);
  EXPECT_EQ(binaries->front().module, "kernels");
  EXPECT_EQ(binaries->front().ptx, ".version 8.0");
}

TEST_F(GpuBinaryTest, FindsLaunches) {
  ModuleOp op = parse(program);
  ASSERT_TRUE(op);
  auto launches = findLaunches(op);
  ASSERT_EQ(launches.size(), 1u);
  EXPECT_EQ(launches[0].module, "kernels");
  EXPECT_EQ(launches[0].kernel, "main");
  EXPECT_EQ(launches[0].grid, (std::array<int64_t, 3>{7, 0, 1}));
  EXPECT_EQ(launches[0].block, (std::array<int64_t, 3>{64, 1, 1}));
  EXPECT_EQ(launches[0].dynamicSharedBytes, 4096);
}

TEST_F(GpuBinaryTest, RefusesSeveralObjects) {
  ModuleOp op = parse(R"(gpu.binary @twice [
      #gpu.object<#nvvm.target<chip = "sm_80">, assembly = "a">,
      #gpu.object<#nvvm.target<chip = "sm_90">, assembly = "b">])");
  ASSERT_TRUE(op);
  auto binaries = readGpuBinaries(op);
  ASSERT_FALSE(bool(binaries));
  EXPECT_EQ(toString(binaries.takeError()),
            "gpu.binary 'twice': expected one object, got 2");
}

} // namespace
