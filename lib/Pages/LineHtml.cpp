//===- LineHtml.cpp - Numbers beside lines, as HTML -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file, with its style and its script in it: it can be sent to somebody and
// read without a network. Without scripts it is a page of tables.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

namespace {

constexpr StringLiteral style = R"(
:root { color-scheme: light dark; --ink: #1c2126; --dim: #68727d; --paper: #fff;
  --rule: #dfe3e8; --bar: #9cc4ef; --hot: #d9480f; --mark: #fff3bf; --note: #fff4f0; }
@media (prefers-color-scheme: dark) { :root { --ink: #dde2e7; --dim: #8d97a2;
  --paper: #15191d; --rule: #2c333a; --bar: #254a73; --hot: #ff8f5a; --mark: #4a431c;
  --note: #3a231b; } }
body { margin: 1.5rem; color: var(--ink); background: var(--paper);
  font: 14px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.3rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .3rem; }
dl { display: grid; grid-template-columns: max-content auto; gap: .1rem 1rem; margin: 0; }
dt { color: var(--dim); } dd { margin: 0; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font: 12.5px/1.45 ui-monospace, monospace; }
th, td { padding: 0 .6rem; text-align: right; white-space: pre; }
th { position: sticky; top: 0; background: var(--paper); border-bottom: 1px solid var(--rule);
  font-weight: 600; cursor: help; }
td.text, th.text, td.note { text-align: left; }
td.line { color: var(--dim); }
td.text { max-width: 54ch; overflow: hidden; text-overflow: ellipsis; }
tr.on td.text { white-space: pre-wrap; overflow-wrap: anywhere; }
td small { color: var(--dim); display: inline-block; min-width: 3.4em; }
td.n { background: linear-gradient(var(--bar), var(--bar)) no-repeat right / var(--s, 0%) 100%; }
tr.row { cursor: pointer; } tr.row:hover td, tr.on td { background-color: var(--mark); }
tr.note td { background: var(--note); white-space: pre-wrap; }
tr.note div { max-width: calc(100vw - 9rem); padding-bottom: .2rem; position: sticky; left: 0;
  overflow-wrap: anywhere; }
tr.note b { color: var(--hot); } tr.note summary { color: var(--dim); cursor: pointer; }
label { color: var(--dim); margin-right: 1rem; }
body.short tr.empty { display: none; }
p.help { color: var(--dim); max-width: 60rem; }
)";

/// A click on a line marks the lines of the other listings that belong to it.
constexpr StringLiteral script = R"(
document.body.classList.add('short');
const box = document.getElementById('all');
box.parentElement.hidden = false;
box.onchange = () => document.body.classList.toggle('short', !box.checked);
document.addEventListener('click', event => {
  const row = event.target.closest('tr.row');
  if (!row) return;
  const was = row.classList.contains('on');
  document.querySelectorAll('tr.on').forEach(r => r.classList.remove('on'));
  if (was) return;
  const key = row.dataset.of || row.id;
  const all = [...document.querySelectorAll('tr.row')]
    .filter(r => r === row || r.id === key || r.dataset.of === key);
  all.forEach(r => r.classList.add('on'));
  const other = all.find(r => r.closest('table') !== row.closest('table'));
  if (other) other.scrollIntoView({block: 'center', behavior: 'smooth'});
});
)";

/// Text as the content of an element, or of an attribute in quotes. Bytes that
/// are no UTF-8 become a sign for that.
std::string escape(StringRef text) {
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

class Writer {
public:
  Writer(const LinePage &page, raw_ostream &os) : page(page), os(os) {}

  void write() {
    os << "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta "
          "charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width\">\n<title>"
       << escape(page.title) << "</title>\n<style>" << style
       << "</style>\n</head>\n<body>\n<h1>" << escape(page.title) << "</h1>\n"
       << "<p class=\"help\">A number is followed by its share of the whole. "
          "Click a line to see what belongs to it.</p>\n"
       << "<label hidden><input type=\"checkbox\" id=\"all\"> lines without "
          "numbers, too</label>\n";
    for (auto [i, section] : enumerate(page.sections))
      write(i, section);
    os << "<script>" << script << "</script>\n</body>\n</html>\n";
  }

private:
  void write(size_t number, const LineSection &section) {
    os << "<h2>" << escape(section.title) << "</h2>\n<dl>\n";
    for (const auto &[name, value] : section.facts)
      os << "<dt>" << escape(name) << "</dt><dd>" << escape(value) << "</dd>\n";
    os << "</dl>\n";
    columns.clear();
    for (size_t column = 0; column != page.columns.size(); ++column)
      if (getTotal(section, column) != 0)
        columns.push_back(column);
    for (auto [i, listing] : enumerate(section.listings))
      write(section, listing, prefix(number, i), number);
  }

  /// Of the names of a listing's lines.
  static std::string prefix(size_t section, size_t listing) {
    return "s" + std::to_string(section) + "f" + std::to_string(listing) + "l";
  }

  void write(const LineSection &section, const LineListing &listing,
             const std::string &names, size_t number) {
    os << "<h3>" << escape(listing.title) << "</h3>\n";
    if (!listing.note.empty())
      os << "<p class=\"help\">" << escape(listing.note) << "</p>\n";
    os << "<div class=\"scroll\"><table>\n<thead><tr><th>line</th>"
          "<th class=\"text\"></th>";
    for (size_t column : columns)
      os << "<th title=\"" << escape(page.columns[column].meaning) << "\">"
         << escape(page.columns[column].title) << "</th>";
    os << "</tr></thead>\n<tbody>\n";
    for (const LineRow &row : listing.rows)
      write(section, row, names, number);
    os << "</tbody></table></div>\n";
  }

  void write(const LineSection &section, const LineRow &row,
             const std::string &names, size_t number) {
    bool isEmpty = row.notes.empty() &&
                   all_of(row.numbers, [](double n) { return n == 0; });
    os << "<tr class=\"row" << (isEmpty ? " empty" : "") << "\" id=\"" << names
       << row.line << '"';
    if (row.listing >= 0)
      os << " data-of=\"" << prefix(number, row.listing) << row.of << '"';
    os << "><td class=\"line\">" << row.line << "</td><td class=\"text\">"
       << escape(row.text) << "</td>";
    for (size_t column : columns)
      writeCell(section, row, column);
    os << "</tr>\n";
    if (!row.notes.empty())
      writeNotes(row.notes);
  }

  /// The first one, and how many more there are, which a click opens.
  void writeNotes(ArrayRef<LineNote> notes) {
    os << "<tr class=\"note\"><td></td><td class=\"note\" colspan=\""
       << columns.size() + 1 << "\">";
    write(notes.front());
    notes = notes.drop_front();
    if (!notes.empty()) {
      os << "<details><summary>" << notes.size() << " more</summary>";
      for (const LineNote &note : notes)
        write(note);
      os << "</details>";
    }
    os << "</td></tr>\n";
  }

  void write(const LineNote &note) {
    os << "<div><b>" << escape(note.severity) << "</b> " << escape(note.text)
       << "</div>";
  }

  void writeCell(const LineSection &section, const LineRow &row,
                 size_t column) {
    double value = getNumber(row, column), total = getTotal(section, column);
    if (value == 0) {
      os << "<td></td>";
      return;
    }
    if (!page.columns[column].isShared || total <= 0) {
      os << "<td>" << formatNumber(value) << "</td>";
      return;
    }
    double share = 100 * value / total;
    os << formatv("<td class=\"n\" style=\"--s:{0:f1}%\">{1} "
                  "<small>{0:f1}%</small></td>",
                  share, formatNumber(value));
  }

  const LinePage &page;
  raw_ostream &os;
  std::vector<size_t> columns; ///< in which the section has anything
};

} // namespace

std::string formatHtml(const LinePage &page) {
  std::string text;
  raw_string_ostream os(text);
  Writer(page, os).write();
  return text;
}

} // namespace mlir::tc
