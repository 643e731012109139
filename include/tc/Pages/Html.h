//===- Html.h - Pages of HTML that need no other file -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every page of HTML has: the skeleton, the style, tables, and text that
// is never read as markup. A page has its style, its script and its pictures in
// it: it can be sent to somebody and read without a network.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PAGES_HTML_H
#define TC_PAGES_HTML_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mlir::tc {

/// Text as the content of an element, or of an attribute in quotes. Bytes that
/// are no UTF-8 become a sign for that.
std::string escapeHtml(llvm::StringRef text);

/// A part of a page: elements of its body, and the rules and the script that
/// they need beside those of every page.
struct HtmlPart {
  std::string body;
  std::string style;
  std::string script;
};

/// A whole HTML file: the title, then the parts in order.
std::string formatHtmlPage(llvm::StringRef title,
                           llvm::ArrayRef<HtmlPart> parts);

/// What is in a column: numbers are to the right, text to the left, and prose
/// goes on in the next line where it is too long for the page.
enum class HtmlContent { Number, Text, Prose };

struct HtmlColumn {
  std::string title;
  HtmlContent content = HtmlContent::Number;
};

/// Of one place in a table.
struct HtmlCell {
  std::string text;
  double share = 0;      ///< of the cell that a bar fills, 0 to 1
  bool isMarked = false; ///< in another colour

  HtmlCell(std::string text, double share = 0, bool isMarked = false)
      : text(std::move(text)), share(share), isMarked(isMarked) {}
  HtmlCell(const char *text) : HtmlCell(std::string(text)) {}
  HtmlCell(llvm::StringRef text) : HtmlCell(text.str()) {}
};

/// A table, which scrolls by itself where it is wider than the page. Each row
/// has a cell for each column.
std::string formatTable(llvm::ArrayRef<HtmlColumn> columns,
                        llvm::ArrayRef<std::vector<HtmlCell>> rows);

/// Names and values.
std::string
formatFacts(llvm::ArrayRef<std::pair<std::string, std::string>> facts);

/// The rules of cells with a bar, as an attribute of the cell with a space
/// before it: `share` is 0 to 1.
std::string formatBar(double share);

} // namespace mlir::tc

#endif // TC_PAGES_HTML_H
