//===- HostEntryTest.cpp - Temporaries in workspace, launches as calls ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Package/HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/FormatVariadic.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::tc;
using ::testing::HasSubstr;
using ::testing::Not;

namespace {

class HostEntryTest : public ::testing::Test {
protected:
  HostEntryTest()
      : handler(&context, [&](Diagnostic &diagnostic) {
          said += diagnostic.str();
          return success();
        }) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, gpu::GPUDialect,
                        memref::MemRefDialect, scf::SCFDialect>();
  }

  /// Places the temporaries of @host; gives the module as text, simplified, or
  /// "" where that is refused.
  std::string place(StringRef text) {
    auto module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return "does not parse";
    auto host = module->lookupSymbol<func::FuncOp>("host");
    if (failed(placeTemporaries(host)))
      return "";
    PassManager pm(&context);
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createMem2Reg());
    pm.addPass(createCanonicalizerPass());
    pm.addPass(createCSEPass());
    EXPECT_TRUE(succeeded(pm.run(*module)));
    std::string printed;
    llvm::raw_string_ostream(printed) << *module;
    return printed;
  }

  MLIRContext context;
  std::string said;
  ScopedDiagnosticHandler handler;
};

/// What the function after `name` returns, where it is a constant.
std::string returned(StringRef text, StringRef name) {
  StringRef body = text.split(name).second.split("return ").second;
  StringRef value = body.split(' ').first;
  StringRef constant = text.split((value + " = arith.constant ").str()).second;
  return constant.split(' ').first.str();
}

TEST_F(HostEntryTest, NoTemporariesNeedNoWorkspace) {
  std::string text = place("func.func @host(%a: memref<4xf32>) { return }");
  EXPECT_EQ(returned(text, "@host.workspace"), "0") << text;
}

TEST_F(HostEntryTest, PlacesAreMultiplesOfTheAlignment) {
  std::string text = place(R"(func.func @host(%a: memref<4xf32>) {
    %0 = memref.alloc() : memref<65xf32>
    %1 = memref.alloc() : memref<3xf64>
    memref.copy %0, %0 : memref<65xf32> to memref<65xf32>
    memref.copy %1, %1 : memref<3xf64> to memref<3xf64>
    return
  })");
  EXPECT_EQ(returned(text, "@host.workspace"), "768") << text;
  EXPECT_THAT(text, Not(HasSubstr("memref.alloc(")));
  EXPECT_THAT(text, HasSubstr("call @tcPackageCopy"));
}

/// Branches share their places; what is in a loop has one.
TEST_F(HostEntryTest, BlocksShareTheirPlaces) {
  std::string text = place(R"(func.func @host(%a: memref<4xf32>, %n: index) {
    %0 = arith.constant 0 : index
    %1 = arith.constant 1 : index
    scf.for %i = %0 to %n step %1 {
      %t = memref.alloc() : memref<64xf32>
      memref.copy %t, %t : memref<64xf32> to memref<64xf32>
      memref.dealloc %t : memref<64xf32>
    }
    return
  })");
  EXPECT_EQ(returned(text, "@host.workspace"), "256") << text;
}

/// Each iteration of a parallel loop fills a buffer of so many numbers, and
/// reads one of them.
std::string makeTasks(int64_t numbers) {
  return llvm::formatv(R"(
    func.func @host(%a: memref<8xf32>, %i: index, %v: f32) {{
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c8 = arith.constant 8 : index
      scf.parallel (%task) = (%c0) to (%c8) step (%c1) {{
        scf.for %round = %c0 to %c8 step %c1 {{
          %own = memref.alloc() : memref<{0}xf32>
          memref.store %v, %own[%task] : memref<{0}xf32>
          %read = memref.load %own[%i] : memref<{0}xf32>
          memref.store %read, %a[%task] : memref<8xf32>
        }
        scf.reduce
      }
      return
    })",
                       numbers);
}

TEST_F(HostEntryTest, IterationsOfParallelLoopsHaveTheirOwn) {
  std::string text = place(makeTasks(300));
  StringRef loop = StringRef(text).split("scf.parallel").second;
  EXPECT_TRUE(
      loop.split("scf.for").first.contains("memref.alloca() : memref<300xf32>"))
      << text;
  EXPECT_EQ(returned(text, "@host.workspace"), "0") << text;
}

TEST_F(HostEntryTest, RefusesIterationsThatNeedMuchMemory) {
  EXPECT_NE(place(makeTasks(262144)), "") << said;
  EXPECT_EQ(place(makeTasks(262145)), "");
  EXPECT_THAT(said, HasSubstr("expected temporaries of at most 1048576 bytes"));
}

TEST_F(HostEntryTest, SizesOfRunTimeAreComputed) {
  std::string text = place(R"(func.func @host(%n: index, %a: memref<?xf32>) {
    %t = memref.alloc(%n) : memref<?xf32>
    memref.copy %t, %a : memref<?xf32> to memref<?xf32>
    return
  })");
  StringRef size = StringRef(text).split("@host.workspace").second;
  EXPECT_THAT(size.str(), HasSubstr("arith.muli"));
  EXPECT_THAT(size.str(), Not(HasSubstr("call")));
}

TEST_F(HostEntryTest, RefusesSizesThatDependOnAddresses) {
  EXPECT_EQ(place(R"(func.func @host(%a: memref<4xf32>) {
    %0 = arith.constant 0 : index
    %p = memref.extract_aligned_pointer_as_index %a : memref<4xf32> -> index
    %c = arith.cmpi eq, %p, %0 : index
    scf.if %c {
      %t = memref.alloc() : memref<4xf32>
      memref.copy %a, %t : memref<4xf32> to memref<4xf32>
    }
    return
  })"),
            "");
  EXPECT_THAT(said, HasSubstr("size follows from extents and strides"));
}

TEST_F(HostEntryTest, RefusesTemporariesThatLeaveTheirBlock) {
  EXPECT_EQ(place(R"(func.func @host(%a: memref<4xf32>, %c: i1) {
    %0 = scf.if %c -> memref<4xf32> {
      %t = memref.alloc() : memref<4xf32>
      scf.yield %t : memref<4xf32>
    } else {
      scf.yield %a : memref<4xf32>
    }
    memref.copy %0, %a : memref<4xf32> to memref<4xf32>
    return
  })"),
            "");
  EXPECT_THAT(said, HasSubstr("used in its own block alone"));
}

TEST_F(HostEntryTest, CopiesAnyStrides) {
  EXPECT_THAT(place(R"(func.func @host(%a: memref<4xf32, strided<[2]>>,
                                       %b: memref<4xf32>) {
    memref.copy %a, %b : memref<4xf32, strided<[2]>> to memref<4xf32>
    return
  })"),
              HasSubstr("call @tcPackageCopy"));
}

// Memory spaces are those of the host here.
TEST_F(HostEntryTest, RefusesToReadTheHost) {
  EXPECT_EQ(place(R"(func.func @host(%a: memref<4xf32, 1>, %b: memref<4xf32>) {
    %zero = arith.constant 0 : index
    %x = memref.load %a[%zero] : memref<4xf32, 1>
    memref.store %x, %b[%zero] : memref<4xf32>
    return
  })"),
            "");
  EXPECT_THAT(said, HasSubstr("expected nothing but copies of memory of the "
                              "host in a package"));
}

} // namespace
