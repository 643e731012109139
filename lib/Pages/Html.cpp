//===- Html.cpp - Pages of HTML that need no other file -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Pages/Html.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

/// No text is smaller than 11 pixels.
static constexpr StringLiteral baseStyle = R"(
:root { color-scheme: light dark; --ink: #1c2126; --dim: #5c6670; --paper: #fff;
  --rule: #dfe3e8; --bar: #9cc4ef; --hot: #d9480f; --mark: #fff3bf; --note: #fff4f0; }
@media (prefers-color-scheme: dark) { :root { --ink: #dde2e7; --dim: #8d97a2;
  --paper: #15191d; --rule: #2c333a; --bar: #254a73; --hot: #ff8f5a; --mark: #4a431c;
  --note: #3a231b; } }
body { margin: 1.5rem; color: var(--ink); background: var(--paper);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; margin: 0; }
dl + .scroll { margin-top: .6rem; }
dt { color: var(--dim); } dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font: 12.5px/1.45 ui-monospace, monospace; }
th, td { padding: 0 .6rem; text-align: right; white-space: pre; vertical-align: top; }
th { position: sticky; top: 0; background: var(--paper); border-bottom: 1px solid var(--rule);
  font-weight: 600; }
td.text, th.text, td.note, td.prose { text-align: left; }
td.prose { white-space: normal; min-width: 24ch; }
td small { color: var(--dim); display: inline-block; min-width: 3.4em; font-size: 11px; }
td.n { background: linear-gradient(var(--bar), var(--bar)) no-repeat right / var(--s, 0%) 100%; }
td.mark { background-color: var(--mark); }
p.help { color: var(--dim); max-width: 60rem; }
)";

std::string escapeHtml(StringRef text) {
  std::string escaped;
  for (char c : json::fixUTF8(text)) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    default:
      // Control characters are not allowed, but for tab and line feed.
      escaped +=
          (static_cast<unsigned char>(c) < 0x20 && c != '\t' && c != '\n') ? ' '
                                                                           : c;
    }
  }
  return escaped;
}

std::string formatHtmlPage(StringRef title, ArrayRef<HtmlPart> parts) {
  std::string page;
  raw_string_ostream os(page);
  os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
        "charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
     << escapeHtml(title) << "</title>\n<style>" << baseStyle;
  for (const HtmlPart &part : parts)
    os << part.style;
  os << "</style>\n</head>\n<body>\n<h1>" << escapeHtml(title) << "</h1>\n";
  for (const HtmlPart &part : parts)
    os << part.body;
  for (const HtmlPart &part : parts)
    if (!part.script.empty())
      os << "<script>{" << part.script << "}</script>\n";
  os << "</body>\n</html>\n";
  return page;
}

std::string formatBar(double share) {
  return formatv(" class=\"n\" style=\"--s:{0:f1}%\"", 100 * share);
}

static void write(const HtmlColumn &column, const HtmlCell &cell,
                  raw_ostream &os) {
  static constexpr StringLiteral classes[] = {"", "text", "prose"};
  StringRef kind = classes[size_t(column.content)];
  os << "<td";
  if (cell.share > 0)
    os << formatBar(cell.share);
  else if (cell.isMarked)
    os << " class=\"" << kind << (kind.empty() ? "" : " ") << "mark\"";
  else if (!kind.empty())
    os << " class=\"" << kind << '"';
  os << '>' << escapeHtml(cell.text) << "</td>";
}

std::string formatTable(ArrayRef<HtmlColumn> columns,
                        ArrayRef<std::vector<HtmlCell>> rows) {
  std::string table;
  raw_string_ostream os(table);
  os << "<div class=\"scroll\"><table>\n<thead><tr>";
  for (const HtmlColumn &column : columns)
    os << (column.content == HtmlContent::Number ? "<th>"
                                                 : "<th class=\"text\">")
       << escapeHtml(column.title) << "</th>";
  os << "</tr></thead>\n<tbody>\n";
  for (const std::vector<HtmlCell> &row : rows) {
    os << "<tr>";
    for (auto [column, cell] : zip_equal(columns, row))
      write(column, cell, os);
    os << "</tr>\n";
  }
  os << "</tbody></table></div>\n";
  return table;
}

std::string formatFacts(ArrayRef<std::pair<std::string, std::string>> facts) {
  std::string list = "<dl>\n";
  for (const auto &[name, value] : facts)
    list +=
        "<dt>" + escapeHtml(name) + "</dt><dd>" + escapeHtml(value) + "</dd>\n";
  return list + "</dl>\n";
}

} // namespace mlir::tc
