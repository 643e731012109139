//===- LineText.cpp - Numbers beside lines, as text -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LinePage.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/LinePage.h"

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc {

/// Columns in which a section has anything, since most programs use few of
/// them.
static std::vector<size_t> findColumns(const LinePage &page,
                                       const LineSection &section) {
  std::vector<size_t> found;
  for (size_t column = 0; column != page.columns.size(); ++column)
    if (getTotal(section, column) != 0)
      found.push_back(column);
  return found;
}

/// " 1234 56 %": a number, and its share where there is one.
static std::string formatCell(const LinePage &page, const LineSection &section,
                              const LineRow &row, size_t column) {
  double number = getNumber(row, column);
  std::string text = formatNumber(number);
  double total = getTotal(section, column);
  if (page.columns[column].isShared && total > 0)
    text += formatv(" {0,5:f1}%", 100 * number / total).str();
  return text;
}

static void print(const LinePage &page, const LineSection &section,
                  const LineListing &listing, raw_ostream &os) {
  std::vector<size_t> columns = findColumns(page, section);
  std::vector<std::vector<std::string>> cells;
  std::vector<size_t> widths;
  for (size_t column : columns)
    widths.push_back(page.columns[column].title.size());
  std::vector<const LineRow *> rows;
  for (const LineRow &row : listing.rows) {
    if (!hasContent(row))
      continue;
    rows.push_back(&row);
    auto &line = cells.emplace_back();
    for (auto [i, column] : enumerate(columns)) {
      line.push_back(getNumber(row, column) == 0
                         ? "."
                         : formatCell(page, section, row, column));
      widths[i] = std::max(widths[i], line.back().size());
    }
  }
  if (rows.empty())
    return;
  os << listing.title << (listing.note.empty() ? "" : " (" + listing.note + ")")
     << '\n';
  os << "  line";
  for (auto [column, width] : zip_equal(columns, widths))
    os << "  " << right_justify(page.columns[column].title, width);
  os << '\n';
  for (auto [row, line] : zip_equal(rows, cells)) {
    os << formatv("{0,6}", row->line);
    for (auto [cell, width] : zip_equal(line, widths))
      os << "  " << right_justify(cell, width);
    if (!row->text.empty()) {
      std::string shown = StringRef(row->text).trim().str();
      std::replace(shown.begin(), shown.end(), '\t', ' ');
      os << "  " << shown;
    }
    os << '\n';
    // Of a line that belongs to another one, that one has told.
    if (row->listing >= 0)
      continue;
    for (const LineNote &note : row->notes)
      os << "        " << note.severity << ": " << note.text << '\n';
  }
}

std::string formatText(const LinePage &page) {
  std::string text;
  raw_string_ostream os(text);
  for (const LineSection &section : page.sections) {
    os << "lines of " << section.title << '\n';
    for (const auto &[name, value] : section.facts)
      os << "  " << name << ": " << value << '\n';
    for (const LineListing &listing : section.listings)
      print(page, section, listing, os);
  }
  return text;
}

} // namespace mlir::tc
