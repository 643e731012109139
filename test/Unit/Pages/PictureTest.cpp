//===- PictureTest.cpp - Tables, pictures and rooflines -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/Html.h"
#include "tc/Pages/Quantity.h"
#include "tc/Pages/Roofline.h"
#include "tc/Pages/Svg.h"

#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir::tc;

namespace {

TEST(QuantityTest, HasThreeDigitsAndAPrefix) {
  EXPECT_EQ(formatQuantity(0, "B"), "0 B");
  EXPECT_EQ(formatQuantity(7, ""), "7");
  EXPECT_EQ(formatQuantity(999, "B"), "999 B");
  EXPECT_EQ(formatQuantity(3.35e12, "B/s"), "3.35 TB/s");
  EXPECT_EQ(formatQuantity(66912000000000, "op/s"), "66.9 Top/s");
  EXPECT_EQ(formatQuantity(999.9e9, "op/s"), "1.00 Top/s");
  EXPECT_EQ(formatQuantity(INFINITY, "B"), "unknown");
  EXPECT_EQ(formatTime(41.3e-6), "41.30 us");
}

TEST(HtmlTest, TablesHoldTextAndBars) {
  std::string table = formatTable(
      {{"name", HtmlContent::Text}, {"time"}},
      {{"a<b", HtmlCell("2 us", 0.5)}, {HtmlCell("c", 0, true), ""}});
  EXPECT_NE(table.find("<th class=\"text\">name</th><th>time</th>"),
            std::string::npos);
  EXPECT_NE(table.find("<td class=\"text\">a&lt;b</td><td class=\"n\" "
                       "style=\"--s:50.0%\">2 us</td>"),
            std::string::npos);
  EXPECT_NE(table.find("<td class=\"text mark\">c</td><td></td>"),
            std::string::npos);
}

TEST(SvgTest, IsAFileByItself) {
  Svg svg(100, 50.25, "a & b");
  svg.addText(10, 20, "<x>", Anchor::End);
  svg.addLine(0, -0.01, 1, 2);
  std::string text = svg.str();
  EXPECT_EQ(text.find("<svg xmlns=\"http://www.w3.org/2000/svg\" "
                      "width=\"100\" height=\"50.2\""),
            0u);
  EXPECT_NE(text.find("<title>a &amp; b</title>"), std::string::npos);
  EXPECT_NE(text.find("text-anchor=\"end\">&lt;x&gt;</text>"),
            std::string::npos);
  EXPECT_NE(text.find("y1=\"0\""), std::string::npos);
  EXPECT_EQ(text.substr(text.size() - 7), "</svg>\n");
}

size_t count(StringRef text, StringRef part) { return text.count(part); }

TEST(RooflineTest, HasAPointForEachLevelOfEachTime) {
  Roofline roofline;
  roofline.slopes = {{"dram", 4.8e12}, {"l2", 7e12}};
  roofline.ceilings = {{"f32", 67e12}};
  EXPECT_EQ(drawRoofline(roofline), ""); // nothing to place
  roofline.rows = {{RoofMark::Counted, "counted, 1 us", 50e12, 5e7, {1e6, 2e6}},
                   {RoofMark::Predicted, "predicted", 40e12, 5e7, {1e6, 0}}};
  std::string text = drawRoofline(roofline);
  EXPECT_EQ(count(text, "dram 4.80 TB/s"), 1u);
  EXPECT_EQ(count(text, "f32 67 Top/s"), 1u);
  EXPECT_EQ(count(text, "counted, 1 us"), 1u);
  // Two points of one row, one of the other, and their marks in the legend.
  EXPECT_EQ(count(text, "<circle"), 5u);
}

} // namespace
