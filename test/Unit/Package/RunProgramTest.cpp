//===- RunProgramTest.cpp - Programs that make files ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rest of this is seen through the tools: test/Tools/cut-output.test.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Package/RunProgram.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir::tc;

namespace {

TEST(RunProgramTest, StopsAProgramThatHangs) {
  Expected<std::string> printed =
      runProgram("/bin/sleep", {"60"}, "did not sleep", /*seconds=*/1);
  ASSERT_FALSE(bool(printed));
  EXPECT_EQ(toString(printed.takeError()),
            "'/bin/sleep' did not sleep: it was still running after 1 seconds, "
            "and was stopped");
}

TEST(RunProgramTest, GivesWhatWasPrinted) {
  Expected<std::string> printed =
      runProgram("/bin/echo", {"words"}, "did not speak");
  ASSERT_TRUE(bool(printed)) << toString(printed.takeError());
  EXPECT_EQ(*printed, "words\n");
}

} // namespace
