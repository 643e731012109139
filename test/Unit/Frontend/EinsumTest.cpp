//===- EinsumTest.cpp - Einsum subscripts and extents ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/EinsumProblem.h"

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
  auto problem = makeProblem(*parsed, *extents, ElementType::f32);
  return problem ? "" : toString(problem.takeError());
}

TEST(EinsumTest, ReadsExplicitForm) {
  Expected<Einsum> einsum = parseEinsum("icaq,qbjk->abcijk");
  ASSERT_TRUE(bool(einsum));
  ASSERT_EQ(einsum->inputs.size(), 2u);
  EXPECT_EQ(einsum->inputs[0].labels, "icaq");
  EXPECT_EQ(einsum->inputs[1].labels, "qbjk");
  EXPECT_EQ(einsum->output.labels, "abcijk");
  EXPECT_EQ(einsum->labels(), "abcijkq");
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

TEST(EinsumTest, ReadsEllipses) {
  EXPECT_EQ(textOf("i...j -> ...j"), "i...j->...j");
  EXPECT_EQ(textOf("...b, a..."), "...b,a...->...ab");
  EXPECT_EQ(textOf("ij->..."), "ij->...");
  EXPECT_EQ(textOf("..."), "...->...");
  EXPECT_EQ(textOf(""), "->");
}

TEST(EinsumTest, PointsAtSyntaxErrors) {
  EXPECT_EQ(textOf("i1,jk->ik"),
            "error: einsum:2: invalid subscript '1' in einstein sum subscripts "
            "string, subscripts must be letters\n  i1,jk->ik\n   ^");
  StringRef proper = "einstein sum subscript string does not contain proper "
                     "'->' output specified\n";
  EXPECT_EQ(textOf("ij,jk-ik").find(("error: einsum:6: " + proper).str()), 0u);
  EXPECT_EQ(textOf("i- >i").find(("error: einsum:2: " + proper).str()), 0u);
  EXPECT_EQ(textOf("i->j->k").find("error: einsum:5: Subscripts can only "
                                   "contain one '->'."),
            0u);
  EXPECT_EQ(textOf("i->i,j").find("error: einsum:5: invalid subscript ','"),
            0u);
  EXPECT_EQ(textOf("\xc3\xa9->")
                .find("error: einsum:1: invalid subscript "
                      "'\\xC3' in"),
            0u);
}

TEST(EinsumTest, PointsAtStrayPeriods) {
  StringRef message = "einstein sum subscripts string contains a '.' that is "
                      "not part of an ellipsis ('...') in ";
  const std::tuple<StringRef, unsigned, StringRef> cases[] = {
      {"i.j,j", 2, "operand 0"},      {"j,..i", 3, "operand 1"},
      {"i....", 5, "operand 0"},      {"...i...", 5, "operand 0"},
      {". ..", 1, "operand 0"},       {"i->.i", 4, "the output"},
      {"i->...i...", 8, "the output"}};
  for (auto [text, column, where] : cases)
    EXPECT_EQ(textOf(text).find(("error: einsum:" + Twine(column) + ": " +
                                 message + where + "\n")
                                    .str()),
              0u)
        << text.str();
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
  EXPECT_EQ(errorOf("ab->b", "a=2x").find("sizes:4: expected ','"), 0u);
  EXPECT_EQ(errorOf("...->", "...=2x").find("sizes:7: expected an extent"), 0u);
  EXPECT_EQ(errorOf("...->", "...=2,...=3").find("sizes:7: the ellipsis"), 0u);
  EXPECT_EQ(errorOf("ab->b", "a=").find("sizes:3: expected an extent"), 0u);
  EXPECT_EQ(errorOf("a->", "a=99999999999999999999")
                .find("sizes:3: expected an extent below 2^63"),
            0u);
}

TEST(SizesTest, RefusesNegativeAndRepeatedExtents) {
  EXPECT_EQ(errorOf("a->", "a=-3"),
            "sizes:3: expected an extent of at least 0, got -3\n  a=-3\n    ^");
  EXPECT_EQ(errorOf("a->", "a=3,a=4"),
            "sizes:5: label 'a' was given before, at column 1\n"
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

TEST(SizesTest, ReadsDynamicExtentsAndTheEllipsis) {
  Expected<Sizes> sizes = parseSizes("a=?,...=2x?, b=1");
  ASSERT_TRUE(bool(sizes));
  EXPECT_EQ(sizes->find('a'), dynamicExtent);
  EXPECT_EQ(sizes->find('b'), 1);
  EXPECT_EQ(*sizes->ellipsis, (SmallVector<int64_t>{2, dynamicExtent}));
  EXPECT_TRUE(cantFail(parseSizes("...=")).ellipsis->empty());
  EXPECT_EQ(errorOf("a...->a", "a=1").find("einsum:1: the ellipsis has no"),
            0u);
  EXPECT_EQ(errorOf("a->a", "a=1,...=2").find("sizes:5: there is no ellipsis"),
            0u);
}

TEST(SizesTest, ReadsNominalExtents) {
  Sizes sizes = cantFail(parseSizes("a=?,b=?16, c=3"));
  EXPECT_EQ(sizes.find('b'), dynamicExtent);
  EXPECT_EQ(sizes.entries[0].nominal, 0);
  EXPECT_EQ(sizes.entries[1].nominal, 16);
  EinsumProblem problem = cantFail(
      makeProblem(cantFail(parseEinsum("ab,bc->ac")), sizes, ElementTypes()));
  EXPECT_EQ(problem.sizesText(), "a=?,c=3,b=?16");
  EXPECT_EQ(toString(parseSizes("a=?0").takeError())
                .find("sizes:4: expected a nominal extent"),
            0u);
}

//===----------------------------------------------------------------------===//
// Shapes by operand
//===----------------------------------------------------------------------===//

/// The shape of the result, or the error.
std::string shapeOf(StringRef subscripts, StringRef operands) {
  Expected<Einsum> einsum = parseEinsum(subscripts);
  if (!einsum)
    return toString(einsum.takeError());
  auto described = parseOperands(operands, "operands");
  if (!described)
    return toString(described.takeError());
  auto problem = makeProblem(*einsum, *described, ElementTypes());
  if (!problem)
    return toString(problem.takeError());
  std::string text;
  for (int64_t extent : problem->output.shape)
    text += std::to_string(extent) + " ";
  return text;
}

/// The same results as NumPy's.
TEST(OperandsTest, FollowsTheRulesOfNumPy) {
  const std::tuple<StringRef, StringRef, StringRef> cases[] = {
      {"ij,jk", "[[2,3],[3,5]]", "2 5 "},
      {"ij,jk", "[[2,3],[1,5]]", "2 5 "},
      {"", "[[]]", ""},
      {",", "[[],[]]", ""},
      {"i,->", "[[2],[]]", ""},
      {"...", "[[2,3]]", "2 3 "},
      {"...i->...", "[[2,3]]", "2 "},
      {"i...->...i", "[[2,3]]", "3 2 "},
      {"i...,...i", "[[2,3],[3,2]]", "3 "},
      {"...i,...i", "[[7,1,3],[4,3]]", "7 4 "},
      {"aB,Bc", "[[2,3],[3,2]]", "2 2 "},
      {"bA", "[[2,3]]", "3 2 "},
      {"ij->...", "[[2,2]]", ""},
      {"ij...,...j->ij...", "[[2,3,4],[3]]", "2 3 4 "},
      {"ijkii->jk", "[[2,3,4,2,2]]", "3 4 "}};
  for (auto [einsum, operands, shape] : cases)
    EXPECT_EQ(shapeOf(einsum, operands), shape) << einsum.str();
}

TEST(OperandsTest, HasTheErrorsOfNumPy) {
  const std::tuple<StringRef, StringRef, StringRef> cases[] = {
      {"ijk", "[[2,2]]",
       "einsum:3: einstein sum subscripts string contains too many subscripts "
       "for operand 0\n"},
      {"i", "[[2,2]]",
       "einsum:1: operand has more dimensions than subscripts given in "
       "einstein sum, but no '...' ellipsis provided to broadcast the extra "
       "dimensions.\n"},
      {"...i->i", "[[2,3]]",
       "einsum:7: output has more dimensions than subscripts given in einstein "
       "sum, but no '...' ellipsis provided to broadcast the extra "
       "dimensions.\n"},
      {"ij,jk", "[[2,3],[4,5]]",
       "einsum:4: operands could not be broadcast together with remapped "
       "shapes [original->remapped]: (2,3)->(2,newaxis,3) (4,5)->(5,4), "
       "because of 'j'\n"},
      {"...i,...i", "[[2,3],[4,3]]",
       "einsum:6: operands could not be broadcast together with remapped "
       "shapes [original->remapped]: (2,3)->(2,3) (4,3)->(4,3), because of "
       "'e0'\n"},
      {"ii", "[[2,3]]",
       "einsum:2: dimensions in operand 0 for collapsing index 'i' don't match "
       "(2 != 3)\n"},
      {"ii", "[[1,3]]",
       "einsum:2: dimensions in operand 0 for collapsing index 'i' don't match "
       "(1 != 3)\n"},
      {"i,j", "[[2]]",
       "fewer operands provided to einstein sum function than specified in the "
       "subscripts string: expected 2 for 'i,j', got 1"},
      {"i", "[[2],[2]]", "more operands provided"}};
  for (auto [einsum, operands, message] : cases)
    EXPECT_EQ(shapeOf(einsum, operands).find(message.str()), 0u)
        << shapeOf(einsum, operands);
}

TEST(OperandsTest, ChecksTheDescription) {
  const std::pair<StringRef, StringRef> cases[] = {
      {"[", "operands: "},
      {"3", "operands: expected an array of operands, or an object"},
      {"[3]", "operands[0]: expected an array of extents, or an object"},
      {"[[-1]]",
       "operands[0][0]: expected an integer from 0 to 2^63-1, got -1"},
      {"[[1.5]]",
       "operands[0][0]: expected an integer from 0 to 2^63-1, got 1.5"},
      {"[[1180591620717411303424]]",
       "operands[0][0]: expected an integer from 0 to 2^63-1, got 1.18059"},
      {R"([["x"]])", "operands[0][0]: expected an integer from 0 to 2^63-1"},
      {"[{}]", "operands[0]: expected a member 'shape'"},
      {R"([{"shape": [2], "strides": [1, 2]}])",
       "operands[0].strides: expected 1 strides, one for each dimension, got "
       "2"},
      {R"([{"shape": [2], "size": 1}])",
       "operands[0]: expected one of the members shape, strides, offset, "
       "elements, dtype; got 'size'"},
      {R"([{"shape": [2], "dtype": "f8"}])",
       "operands[0].dtype: expected an element type (i1, i8, i16, i32, i64, "
       "f8e4m3, f8e5m2, f16, "
       "bf16, f32, f64, c64, c128), got 'f8'"},
      {R"([{"shape": [3], "strides": [-1], "offset": 1}])",
       "operands: expected input 0 to start at an offset of at least 2, got 1"},
      {R"([{"shape": [3], "strides": [2], "elements": 4}])",
       "operands: expected a buffer of at least 5 elements for input 0, got 4"},
      {R"({"inputs": [[3]], "result": {"strides": [0]}})",
       "operands: expected a result whose elements do not overlap, got strides "
       "(0) for shape (3)"},
      {R"({"inputs": [[1]], "result": {"strides": [0]}})", "1 "},
      {R"({"inputs": [[0]], "result": {"strides": [0]}})", "0 "},
      {R"({"inputs": [[3]], "result": {"strides": [-2], "offset": 4}})", "3 "},
      {R"({"inputs": [[3]], "result": [4]})",
       "operands: expected a result of shape (3), got (4)"},
      {R"({"inputs": [[3]], "results": [4]})",
       "operands: expected one of the members inputs, result; got 'results'"},
      {R"({"inputs": [{"shape": [3], "strides": [9223372036854775808]}]})",
       "operands: inputs[0].strides[0]: expected an integer of 64 bits, got "},
      {R"({"inputs": [[3]], "result": "x"})",
       "operands: result: expected an array of extents, or an object with a "
       "shape, got 'x'"}};
  for (auto [operands, message] : cases)
    EXPECT_EQ(shapeOf("i->i", operands).find(message.str()), 0u)
        << shapeOf("i->i", operands);
}

} // namespace
