//===- LinePageTest.cpp - Numbers beside lines ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/LinePage.h"
#include "tc/Schema/Document.h"

#include "llvm/ADT/StringRef.h"
#include "gtest/gtest.h"

using namespace llvm;
using namespace mlir::tc;

namespace {

/// Two lines of a source, the second with a note, and an instruction of it.
LinePage makePage() {
  LinePage page;
  page.title = "a <page>";
  page.columns = {{"slots", "slots", "issue slots", true},
                  {"lanes", "lanes", "of 32", false},
                  {"never", "never", "nothing has any", true}};
  LineSection section;
  section.title = "f<<<1, 32>>>";
  section.facts = {{"fidelity", "all & exact"}};
  section.totals = {8, 32, 0};
  LineListing source{"a.cu", "", {}};
  source.rows.push_back({1, "int a; // \"x\"\xff\x01", {}, {}});
  source.rows.push_back(
      {2, "  b < c;", {6, 31.5, 0}, {{"error", "race: <b>"}}});
  LineListing ptx{"PTX", "", {}};
  ptx.rows.push_back({9, "add.s32 %r1, %r1, 1;", {6, 31.5, 0}, {}, 0, 2});
  section.listings = {source, ptx};
  page.sections = {section};
  return page;
}

TEST(LinePageTest, WritesTablesOfLinesThatHaveSomething) {
  EXPECT_EQ(formatText(makePage()),
            "lines of f<<<1, 32>>>\n"
            "  fidelity: all & exact\n"
            "a.cu\n"
            "  line     slots  lanes\n"
            "     2  6  75.0%   31.5  b < c;\n"
            "        error: race: <b>\n"
            "PTX\n"
            "  line     slots  lanes\n"
            "     9  6  75.0%   31.5  add.s32 %r1, %r1, 1;\n");
}

TEST(LinePageTest, WritesNumbersByName) {
  json::Value value = cantFail(json::parse(schema::format(makePage())));
  json::Object &section = *(*value.getAsArray())[0].getAsObject();
  EXPECT_EQ(section.getString("title"), "f<<<1, 32>>>");
  EXPECT_EQ(section.getObject("totals")->getNumber("slots"), 8);
  json::Array &listings = *section.getArray("listings");
  ASSERT_EQ(listings.size(), 2u);
  json::Array &lines = *listings[0].getAsObject()->getArray("lines");
  ASSERT_EQ(lines.size(), 1u); // the other one has only its text
  json::Object &line = *lines[0].getAsObject();
  EXPECT_EQ(line.getInteger("line"), 2);
  EXPECT_EQ(line.getNumber("lanes"), 31.5);
  EXPECT_EQ(line.get("never"), nullptr);
  EXPECT_EQ(line.getArray("notes")->size(), 1u);
  json::Object &of = *(*listings[1].getAsObject()->getArray("lines"))[0]
                          .getAsObject()
                          ->getObject("of");
  EXPECT_EQ(of.getInteger("line"), 2);
}

TEST(LinePageTest, FoldsAllNotesButTheFirst) {
  LinePage page = makePage();
  std::vector<LineNote> &notes = page.sections[0].listings[0].rows[1].notes;
  EXPECT_FALSE(StringRef(formatHtml(page)).contains("<summary>"));
  notes.push_back({"warning", "second"});
  notes.push_back({"warning", "third"});
  EXPECT_TRUE(StringRef(formatHtml(page))
                  .contains("<div><b>error</b> race: &lt;b&gt;</div><details>"
                            "<summary>2 more</summary><div><b>warning</b> "
                            "second</div><div><b>warning</b> third</div>"
                            "</details>"));
}

TEST(LinePageTest, WritesAFileThatNeedsNoOther) {
  std::string html = formatHtml(makePage());
  StringRef text = html;
  EXPECT_TRUE(text.starts_with("<!DOCTYPE html>"));
  for (StringRef outside :
       {"http:", "https:", "src=", "<link", "@import", "url("})
    EXPECT_FALSE(text.contains(outside)) << outside.str();
  // Nothing of the program is read as markup.
  EXPECT_TRUE(text.contains("<title>a &lt;page&gt;</title>"));
  EXPECT_TRUE(text.contains("<b>error</b> race: &lt;b&gt;"));
  EXPECT_TRUE(text.contains("int a; // &quot;x&quot;\xef\xbf\xbd "));
  // The instruction belongs to the line of the source.
  EXPECT_TRUE(text.contains("id=\"s0f0l2\""));
  EXPECT_TRUE(text.contains("id=\"s0f1l9\" data-of=\"s0f0l2\""));
  // A line that has nothing can be hidden, and so is a column.
  EXPECT_TRUE(text.contains("class=\"row empty\" id=\"s0f0l1\""));
  EXPECT_FALSE(text.contains("never"));
}

TEST(LinePageTest, MayBeEmpty) {
  EXPECT_EQ(formatText({}), "");
  EXPECT_EQ(schema::format(LinePage()), "[]");
  EXPECT_TRUE(StringRef(formatHtml({})).contains("</html>"));
}

} // namespace
