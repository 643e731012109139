//===- ReportTest.cpp - The names in reports ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Runner/Report.h"

#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

#include <limits>

using namespace llvm;
using namespace mlir;
using namespace mlir::tc;

namespace {

KernelReport kernelOf(StringRef name, int64_t blocks,
                      std::optional<int64_t> registers, int64_t spills) {
  KernelReport kernel;
  kernel.launch = {"kernels", name.str(), {blocks, 1, 1}, {64, 1, 1}, 0};
  kernel.registers = registers;
  kernel.spillBytes = spills;
  kernel.localBytes = 2 * spills;
  return kernel;
}

json::Object objectOf(const Compilation &compilation,
                      const RunResult *result = nullptr) {
  Program program;
  std::string text = formatJson(program, compilation, result, true);
  Expected<json::Value> value = json::parse(text);
  EXPECT_TRUE(bool(value)) << text;
  return value ? *value->getAsObject() : json::Object();
}

TEST(ReportTest, TakesTheWorstOfAllKernels) {
  Compilation compilation;
  compilation.kernels = {kernelOf("small", 1, 40, 8),
                         kernelOf("large", 7, 32, 0)};
  json::Object object = objectOf(compilation);
  EXPECT_EQ(object.getString("kernel"), StringRef("large"));
  EXPECT_EQ(object.getInteger("registers"), 40);
  EXPECT_EQ(object.getInteger("spill_bytes"), 8);
  EXPECT_EQ(object.getInteger("local_bytes"), 16);
  ASSERT_NE(object.getArray("kernels"), nullptr);
  EXPECT_EQ(object.getArray("kernels")->size(), 2u);
  EXPECT_EQ(*object.getArray("grid"), (json::Array{7, 1, 1}));
}

TEST(ReportTest, SaysNullForWhatIsNotKnown) {
  Compilation compilation;
  compilation.kernels = {kernelOf("known", 1, 40, 0),
                         kernelOf("unknown", 0, std::nullopt, 0)};
  json::Object object = objectOf(compilation);
  EXPECT_TRUE(object.get("einsum")->getAsNull().has_value());
  EXPECT_TRUE(object.get("registers")->getAsNull().has_value());
  EXPECT_TRUE(object.get("occupancy")->getAsNull().has_value());
  EXPECT_TRUE((*object.getArray("kernels"))[1]
                  .getAsObject()
                  ->get("grid")
                  ->getAsNull()
                  .has_value());
}

TEST(ReportTest, WritesRunsThatAreInfinitelyWrong) {
  Compilation compilation;
  RunResult result;
  result.device = "emulator";
  result.verified = false;
  result.maxRelativeError = std::numeric_limits<double>::infinity();
  json::Object object = objectOf(compilation, &result);
  EXPECT_EQ(object.getBoolean("verified"), false);
  EXPECT_TRUE(object.get("max_rel_error")->getAsNull().has_value());
  EXPECT_EQ(object.getString("device"), StringRef("emulator"));
}

} // namespace
