//===- JsonTest.cpp - JSON that users give --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Files/Json.h"

#include "gtest/gtest.h"

#include <string>

using namespace llvm;
using namespace mlir::tc;

namespace {

std::string nested(unsigned depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonTest, ParsesWhatIsNestedAsDeepAsAllowed) {
  Expected<json::Value> value = parseJson(nested(maxJsonDepth));
  ASSERT_TRUE(bool(value)) << toString(value.takeError());
  EXPECT_EQ(value->getAsArray()->size(), 1u);
}

TEST(JsonTest, RefusesWhatIsNestedDeeper) {
  EXPECT_EQ(toString(parseJson(nested(maxJsonDepth + 1)).takeError()),
            "byte 200: expected arrays and objects nested at most 200 deep");
  std::string objects;
  for (int i = 0; i != 50000; ++i)
    objects += "{\"a\":";
  EXPECT_TRUE(errorToBool(parseJson(objects).takeError()));
}

TEST(JsonTest, CountsNoBracketsInStrings) {
  std::string text = "[\"\\\"" + std::string(1000, '[') + "\", []]";
  Expected<json::Value> value = parseJson(text);
  ASSERT_TRUE(bool(value)) << toString(value.takeError());
  EXPECT_EQ((*value->getAsArray())[0].getAsString()->size(), 1001u);
}

TEST(JsonTest, LeavesSyntaxErrorsToTheParser) {
  for (const char *text : {"", "]]", "[", "{\"a\"", "\"\\"})
    EXPECT_TRUE(errorToBool(parseJson(text).takeError())) << text;
}

} // namespace
