//===- EinsumTest.cpp - Einsum subscripts and extents ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/Einsum.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir::tc;

namespace {

std::string textOf(StringRef text) {
  Expected<Einsum> einsum = parseEinsum(text);
  return einsum ? einsum->text() : "error: " + toString(einsum.takeError());
}

std::string errorOf(StringRef einsum, StringRef sizes) {
  Expected<Einsum> parsed = parseEinsum(einsum);
  if (!parsed)
    return toString(parsed.takeError());
  Expected<Sizes> extents = parseSizes(sizes);
  if (!extents)
    return toString(extents.takeError());
  return toString(checkSizes(*parsed, *extents));
}

TEST(EinsumTest, ReadsExplicitForm) {
  Expected<Einsum> einsum = parseEinsum("icaq,qbjk->abcijk");
  ASSERT_TRUE(bool(einsum));
  ASSERT_EQ(einsum->inputs.size(), 2u);
  EXPECT_EQ(einsum->inputs[0].labels, "icaq");
  EXPECT_EQ(einsum->inputs[1].labels, "qbjk");
  EXPECT_EQ(einsum->output.labels, "abcijk");
  EXPECT_EQ(einsum->iterators(), "abcijkq");
}

TEST(EinsumTest, IgnoresSpacesAndKeepsCase) {
  EXPECT_EQ(textOf(" i J , J k -> i k "), "iJ,Jk->ik");
  EXPECT_EQ(textOf("aA->A"), "aA->A");
}

TEST(EinsumTest, ImplicitOutputIsSortedSingleLabels) {
  EXPECT_EQ(textOf("ij,jk"), "ij,jk->ik");
  EXPECT_EQ(textOf("ba"), "ba->ab");
  EXPECT_EQ(textOf("ii"), "ii->");
  EXPECT_EQ(textOf("bA"), "bA->Ab");
}

TEST(EinsumTest, ReadsOperandsWithoutLabels) {
  EXPECT_EQ(textOf(",->"), ",->");
  EXPECT_EQ(textOf("a->"), "a->");
  EXPECT_EQ(textOf("a,,b"), "a,,b->ab");
}

TEST(EinsumTest, PointsAtSyntaxErrors) {
  EXPECT_EQ(textOf("i1,jk->ik"),
            "error: einsum:2: invalid subscript '1' in einstein sum subscripts "
            "string, subscripts must be letters\n  i1,jk->ik\n   ^");
  EXPECT_EQ(textOf("ij,jk-ik"),
            "error: einsum:6: expected a single '->' between inputs and "
            "output\n  ij,jk-ik\n       ^");
  EXPECT_EQ(textOf("i->j->k").find("error: einsum:5: expected a single '->'"),
            0u);
  EXPECT_EQ(textOf("i->i,j").find("error: einsum:5: expected one output"), 0u);
  EXPECT_EQ(textOf("...i->i").find("error: einsum:1: an ellipsis"), 0u);
  EXPECT_EQ(textOf("").find("error: einsum:1: expected subscripts"), 0u);
  EXPECT_EQ(textOf("\xc3\xa9->")
                .find("error: einsum:1: invalid subscript "
                      "'\\xC3' in"),
            0u);
}

TEST(EinsumTest, RefusesBadOutputLabels) {
  EXPECT_EQ(textOf("ij,jk->iz"),
            "error: einsum:9: einstein sum subscripts string included output "
            "subscript 'z' which never appeared in an input\n  ij,jk->iz\n"
            "          ^");
  EXPECT_EQ(textOf("ij->ii").find(
                "error: einsum:6: einstein sum subscripts string includes "
                "output subscript 'i' multiple times"),
            0u);
}

TEST(SizesTest, ReadsExtentsInOrder) {
  Expected<Sizes> sizes = parseSizes("a=16, b = 0");
  ASSERT_TRUE(bool(sizes));
  ASSERT_EQ(sizes->entries.size(), 2u);
  EXPECT_EQ(sizes->find('a'), 16);
  EXPECT_EQ(sizes->find('b'), 0);
  EXPECT_EQ(sizes->find('c'), std::nullopt);
}

TEST(SizesTest, PointsAtSyntaxErrors) {
  EXPECT_EQ(errorOf("ab->b", "a=2,3").find("sizes:5: expected a label"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=2,").find("sizes:5: expected a label"), 0u);
  EXPECT_EQ(errorOf("ab->b", "ab=2").find("sizes:2: expected '='"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=x").find("sizes:3: expected an extent"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=2x").find("sizes:3: expected an extent"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=").find("sizes:3: expected an extent"), 0u);
  EXPECT_EQ(errorOf("a->", "a=99999999999999999999")
                .find("sizes:3: expected an extent below 2^63"),
            0u);
}

TEST(SizesTest, RefusesNegativeAndRepeatedExtents) {
  EXPECT_EQ(errorOf("a->", "a=-3"),
            "sizes:3: expected an extent of at least 0, got -3\n  a=-3\n    ^");
  EXPECT_EQ(errorOf("a->", "a=3,a=4"),
            "sizes:5: label 'a' was given extent 3 at column 1, and again 4\n"
            "  a=3,a=4\n      ^");
}

TEST(SizesTest, RefusesMissingAndUnknownLabels) {
  EXPECT_EQ(errorOf("ab->b", "a=3").find("einsum:2: label 'b' has no extent"),
            0u);
  EXPECT_EQ(errorOf("a->", "a=3,z=4").find("sizes:5: unknown label 'z'"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=0,b=4"), "");
}

TEST(SizesTest, RefusesUncountableOperands) {
  EXPECT_EQ(errorOf("ab->", "a=4000000000,b=4000000000")
                .find("einsum:1: expected an operand of fewer than 2^62"),
            0u);
  EXPECT_EQ(errorOf("a,b->", "a=4000000000,b=4000000000")
                .find("einsum:1: expected an iteration space"),
            0u);
}

} // namespace
