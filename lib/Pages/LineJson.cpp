//===- LineJson.cpp - Numbers beside lines, as JSON -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are named by the columns of the page: what is described are parts of
// a page, each with its page.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include "tc/Schema/Structure.h"

using namespace llvm;

namespace mlir::tc {

namespace {
using Numbers = std::vector<std::pair<std::string, double>>;

struct Owner {
  int listing;
  unsigned line;
};

struct RowOfPage {
  const LinePage &page;
  const LineRow &row;
};

struct ListingOfPage {
  const LinePage &page;
  const LineListing &listing;
};

struct SectionOfPage {
  const LinePage &page;
  const LineSection &section;
};
} // namespace

static Numbers nameNumbers(const LinePage &page,
                           const std::vector<double> &numbers) {
  Numbers named;
  for (auto [column, number] : zip(page.columns, numbers))
    named.emplace_back(column.name, number);
  return named;
}

static std::optional<Owner> findOwner(const RowOfPage &line) {
  if (line.row.listing < 0)
    return std::nullopt;
  return Owner{line.row.listing, line.row.of};
}

static Numbers listNumbers(const RowOfPage &line) {
  Numbers numbers = nameNumbers(line.page, line.row.numbers);
  erase_if(numbers, [](const auto &named) { return named.second == 0; });
  return numbers;
}

static std::vector<RowOfPage> listRows(const ListingOfPage &listing) {
  std::vector<RowOfPage> rows;
  for (const LineRow &row : listing.listing.rows)
    if (hasContent(row))
      rows.push_back({listing.page, row});
  return rows;
}

static std::vector<ListingOfPage> listListings(const SectionOfPage &section) {
  std::vector<ListingOfPage> listings;
  for (const LineListing &listing : section.section.listings)
    listings.push_back({section.page, listing});
  return listings;
}

static std::map<std::string, std::string>
listFacts(const SectionOfPage &section) {
  return {section.section.facts.begin(), section.section.facts.end()};
}

static std::map<std::string, double> listTotals(const SectionOfPage &section) {
  Numbers totals = nameNumbers(section.page, section.section.totals);
  return {totals.begin(), totals.end()};
}

namespace schema {

template <>
const Structure<LineNote> &describe<LineNote>() {
  static const auto structure =
      Structure<LineNote>("note", "What is to be said of a line.")
          .member("severity", &LineNote::severity,
                  "error, warning or information")
          .member("text", &LineNote::text, "in full");
  return structure;
}

template <>
const Structure<Owner> &describe<Owner>() {
  static const auto structure =
      Structure<Owner>("owner", "A line of another listing of the section.")
          .member("listing", &Owner::listing, "its index")
          .member("line", &Owner::line, "from 1");
  return structure;
}

template <>
const Structure<RowOfPage> &describe<RowOfPage>() {
  using Row = RowOfPage;
  auto getText = [](const Row &line) { return StringRef(line.row.text); };
  auto getNotes = [](const Row &line) { return ArrayRef(line.row.notes); };
  static const auto structure =
      Structure<Row>("line", "A line with numbers or notes.")
          .member(
              "line", [](const Row &line) { return line.row.line; }, "from 1")
          .optional("text", getText, "of the line, if it is known")
          .optional("notes", getNotes, "findings there")
          .optional("of", findOwner,
                    "the line of the source that it belongs to")
          .rest(listNumbers, "a number of the line, by name, if it is not 0");
  return structure;
}

template <>
const Structure<ListingOfPage> &describe<ListingOfPage>() {
  using Listing = ListingOfPage;
  auto getTitle = [](const Listing &part) {
    return StringRef(part.listing.title);
  };
  static const auto structure =
      Structure<Listing>("listing", "A source, or the PTX.")
          .member("title", getTitle, "its path, or PTX")
          .member("lines", listRows, "those with numbers or notes, in order");
  return structure;
}

template <>
const Structure<SectionOfPage> &describe<SectionOfPage>() {
  using Section = SectionOfPage;
  auto getTitle = [](const Section &part) {
    return StringRef(part.section.title);
  };
  static const auto structure =
      Structure<Section>("lines", "A kernel, line by line.")
          .member("title", getTitle, "its launch")
          .member("facts", listFacts, "what is known of all of it, in words")
          .member("totals", listTotals, "the sum of each number over all lines")
          .member("listings", listListings, "sources, and the PTX");
  return structure;
}

void Codec<LinePage>::write(json::OStream &json, const LinePage &page) {
  json.array([&] {
    for (const LineSection &section : page.sections)
      Codec<SectionOfPage>::write(json, {page, section});
  });
}

void Codec<LinePage>::describe(json::OStream &json, Definitions &all) {
  describeArray<Codec<SectionOfPage>>(json, all);
}

} // namespace schema

} // namespace mlir::tc
