//===- LinePage.h - Numbers beside the lines of a program -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs line by line, with what each line costs and what is wrong with it:
// as text, as JSON, and as one HTML file that needs nothing else. Whoever has
// the numbers fills in plain data; nothing here knows where they are from.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PAGES_LINEPAGE_H
#define TC_PAGES_LINEPAGE_H

#include "tc/Pages/Html.h"
#include "tc/Schema/Codec.h"

#include <string>
#include <utility>
#include <vector>

namespace mlir::tc {

/// A column of numbers.
struct LineColumn {
  std::string name;    ///< in JSON: "sectors"
  std::string title;   ///< for people: "sectors"
  std::string meaning; ///< a sentence
  /// Numbers add up to a whole, of which people want to see the share.
  bool isShared = true;
};

/// What is to be said of a line.
struct LineNote {
  std::string severity; ///< "error", "warning" or "information"
  std::string text;
};

struct LineRow {
  unsigned line = 0;           ///< from 1
  std::string text;            ///< of the line; empty: not known
  std::vector<double> numbers; ///< one for each column, or none at all
  std::vector<LineNote> notes;
  /// The line of another listing that it belongs to: its listing, and its
  /// number. Nothing: -1.
  int listing = -1;
  unsigned of = 0;
};

/// The lines of one file, or those of them that matter, by number.
struct LineListing {
  std::string title; ///< "rowsum.cu"
  std::string note;  ///< why there is no text, say; or empty
  std::vector<LineRow> rows;
};

/// One program.
struct LineSection {
  std::string title; ///< "rowsum<<<16, 128>>>"
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<double> totals; ///< one for each column
  std::vector<LineListing> listings;
};

struct LinePage {
  std::string title;
  std::vector<LineColumn> columns;
  std::vector<LineSection> sections;
};

/// Lines with a number or a note, as tables.
std::string formatText(const LinePage &page);
/// The sections as a part of a page, which has one such part at most.
HtmlPart makeHtmlPart(const LinePage &page);
/// A whole HTML file.
std::string formatHtml(const LinePage &page);

/// As a list of sections. Numbers that are 0 are left out, and so are lines
/// that have nothing but their text.
template <>
struct schema::Codec<LinePage> {
  static void write(llvm::json::OStream &json, const LinePage &page);
  static void describe(llvm::json::OStream &json, Definitions &all);
};

} // namespace mlir::tc

#endif // TC_PAGES_LINEPAGE_H
