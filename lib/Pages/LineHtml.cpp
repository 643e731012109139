//===- LineHtml.cpp - Numbers beside lines, as HTML -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without scripts it is a page of tables.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace mlir::tc {

namespace {

/// Beside that of every page.
constexpr StringLiteral style = R"(
.lines th { cursor: help; }
td.line { color: var(--dim); }
.lines td.text { max-width: 54ch; overflow: hidden; text-overflow: ellipsis; }
tr.on td.text { white-space: pre-wrap; overflow-wrap: anywhere; }
tr.row { cursor: pointer; } tr.row:hover td, tr.on td { background-color: var(--mark); }
tr.note td { background: var(--note); white-space: pre-wrap; }
tr.note div { max-width: calc(100vw - 9rem); padding-bottom: .2rem; position: sticky; left: 0;
  overflow-wrap: anywhere; }
tr.note b { color: var(--hot); } tr.note summary { color: var(--dim); cursor: pointer; }
label { color: var(--dim); margin-right: 1rem; }
body.short tr.empty { display: none; }
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

class Writer {
public:
  Writer(const LinePage &page, raw_ostream &os) : page(page), os(os) {}

  void write() {
    os << "<p class=\"help\">A number is followed by its share of the whole. "
          "Click a line to see what belongs to it.</p>\n"
       << "<label hidden><input type=\"checkbox\" id=\"all\"> lines without "
          "numbers, too</label>\n";
    for (auto [i, section] : enumerate(page.sections))
      write(i, section);
  }

private:
  void write(size_t number, const LineSection &section) {
    os << "<h2>" << escapeHtml(section.title) << "</h2>\n"
       << formatFacts(section.facts);
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
    os << "<h3>" << escapeHtml(listing.title) << "</h3>\n";
    if (!listing.note.empty())
      os << "<p class=\"help\">" << escapeHtml(listing.note) << "</p>\n";
    os << "<div class=\"scroll\"><table class=\"lines\">\n<thead><tr>"
          "<th>line</th>"
          "<th class=\"text\"></th>";
    for (size_t column : columns)
      os << "<th title=\"" << escapeHtml(page.columns[column].meaning) << "\">"
         << escapeHtml(page.columns[column].title) << "</th>";
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
       << escapeHtml(row.text) << "</td>";
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
    os << "<div><b>" << escapeHtml(note.severity) << "</b> "
       << escapeHtml(note.text) << "</div>";
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
    double share = value / total;
    os << "<td" << formatBar(share)
       << formatv(">{0} <small>{1:f1}%</small></td>", formatNumber(value),
                  100 * share);
  }

  const LinePage &page;
  raw_ostream &os;
  std::vector<size_t> columns; ///< in which the section has anything
};

} // namespace

HtmlPart makeHtmlPart(const LinePage &page) {
  HtmlPart part;
  raw_string_ostream os(part.body);
  Writer(page, os).write();
  part.style = style;
  part.script = script;
  return part;
}

std::string formatHtml(const LinePage &page) {
  return formatHtmlPage(page.title, makeHtmlPart(page));
}

} // namespace mlir::tc
