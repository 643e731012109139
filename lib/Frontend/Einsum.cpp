//===- Einsum.cpp - Contractions written as an einsum ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Frontend/Einsum.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace llvm;

namespace mlir::tc {

Error errorInText(StringRef what, StringRef text, size_t column,
                  const Twine &message) {
  return createStringError(inconvertibleErrorCode(),
                           what + ":" + Twine(column + 1) + ": " + message +
                               "\n  " + text + "\n  " +
                               std::string(column, ' ') + "^");
}

static Error subscriptError(StringRef text, size_t column,
                            const Twine &message) {
  return errorInText("einsum", text, column, message);
}

//===----------------------------------------------------------------------===//
// Subscripts
//===----------------------------------------------------------------------===//

/// The character, or its code where it is none that prints.
static std::string printable(char c) {
  return isPrint(c) ? std::string(1, c) : "\\x" + toHex(StringRef(&c, 1));
}

/// What is said of a character that is no label.
static Error invalidSubscript(StringRef text, size_t column) {
  return subscriptError(text, column,
                        "invalid subscript '" + printable(text[column]) +
                            "' in einstein sum subscripts string, subscripts "
                            "must be letters");
}

/// Reads the labels of one operand in text[begin, end). `where` is the end of
/// a sentence: "operand 0", or "the output".
static Expected<Einsum::Operand> parseOperand(StringRef text, size_t begin,
                                              size_t end, const Twine &where) {
  Einsum::Operand operand;
  operand.column = begin;
  for (size_t column = begin; column != end; ++column) {
    char c = text[column];
    if (c == ' ')
      continue;
    if (c == '.') {
      if (operand.ellipsis || !text.slice(column, end).starts_with("..."))
        return subscriptError(text, column,
                              "einstein sum subscripts string contains a '.' "
                              "that is not part of an ellipsis ('...') in " +
                                  where);
      operand.ellipsis = operand.labels.size();
      column += 2;
      continue;
    }
    if (text.substr(column).starts_with("->")) // a second one
      return subscriptError(text, column,
                            "Subscripts can only contain one '->'.");
    if (c == '-')
      return subscriptError(text, column,
                            "einstein sum subscript string does not contain "
                            "proper '->' output specified");
    if (!isAlpha(c))
      return invalidSubscript(text, column);
    operand.labels.push_back(c);
    operand.columns.push_back(column);
  }
  return operand;
}

/// NumPy's implicit output: the ellipsis, then the labels that occur once, in
/// order of their codes.
static Einsum::Operand implicitOutput(const Einsum &einsum) {
  Einsum::Operand output;
  std::string all;
  for (const Einsum::Operand &input : einsum.inputs)
    all += input.labels;
  for (char label : all)
    if (llvm::count(all, label) == 1)
      output.labels.push_back(label);
  llvm::sort(output.labels);
  output.columns.assign(output.labels.size(), 0);
  if (einsum.hasEllipsis())
    output.ellipsis = 0;
  return output;
}

static Error checkOutput(const Einsum &einsum) {
  StringRef labels = einsum.output.labels;
  for (size_t index = 0; index != labels.size(); ++index) {
    char label = labels[index];
    size_t column = einsum.output.columns[index];
    if (labels.take_front(index).contains(label))
      return subscriptError(einsum.source, column,
                            "einstein sum subscripts string includes output "
                            "subscript '" +
                                Twine(label) + "' multiple times");
    if (llvm::none_of(einsum.inputs, [&](const Einsum::Operand &input) {
          return StringRef(input.labels).contains(label);
        }))
      return subscriptError(einsum.source, column,
                            "einstein sum subscripts string included output "
                            "subscript '" +
                                Twine(label) +
                                "' which never appeared in an input");
  }
  return Error::success();
}

Expected<Einsum> parseEinsum(StringRef text) {
  Einsum einsum;
  einsum.source = text.str();
  size_t arrow = text.find("->");
  bool isExplicit = arrow != StringRef::npos;
  size_t end = isExplicit ? arrow : text.size();
  for (size_t begin = 0; begin <= end;) {
    size_t comma = std::min(text.find(',', begin), end);
    if (Error error = parseOperand(text, begin, comma,
                                   "operand " + Twine(einsum.inputs.size()))
                          .moveInto(einsum.inputs.emplace_back()))
      return error;
    begin = comma + 1;
  }
  if (!isExplicit) {
    einsum.output = implicitOutput(einsum);
    return einsum;
  }
  if (Error error = parseOperand(text, arrow + 2, text.size(), "the output")
                        .moveInto(einsum.output))
    return error;
  if (Error error = checkOutput(einsum))
    return error;
  return einsum;
}

static std::string textOf(const Einsum::Operand &operand) {
  std::string text = operand.labels;
  if (operand.ellipsis)
    text.insert(*operand.ellipsis, "...");
  return text;
}

std::string Einsum::text() const {
  return llvm::join(llvm::map_range(inputs, textOf), ",") + "->" +
         textOf(output);
}

std::string Einsum::labels() const {
  std::string result = output.labels;
  for (const Operand &input : inputs)
    for (char label : input.labels)
      if (!StringRef(result).contains(label))
        result.push_back(label);
  return result;
}

bool Einsum::hasEllipsis() const {
  return llvm::any_of(
      inputs, [](const Operand &input) { return input.ellipsis.has_value(); });
}

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

std::optional<int64_t> Sizes::find(char label) const {
  for (const Entry &entry : entries)
    if (entry.label == label)
      return entry.extent;
  return std::nullopt;
}

namespace {
/// Reads the entries of sizes, from the left.
class SizesParser {
public:
  explicit SizesParser(StringRef text) : text(text) {}

  Expected<Sizes> parse() {
    sizes.source = text.str();
    skipSpaces();
    if (at == text.size())
      return std::move(sizes);
    do {
      if (Error error = parseEntry())
        return error;
    } while (consume(','));
    return std::move(sizes);
  }

private:
  Error fail(size_t column, const Twine &message) {
    return errorInText("sizes", text, column, message);
  }
  void skipSpaces() {
    while (at != text.size() && text[at] == ' ')
      ++at;
  }
  bool consume(char c) {
    skipSpaces();
    bool is = at != text.size() && text[at] == c;
    at += is;
    return is;
  }
  bool isAtEnd() {
    skipSpaces();
    return at == text.size() || text[at] == ',';
  }

  Error parseExtent(int64_t &extent) {
    skipSpaces();
    size_t begin = at;
    if (consume('?')) {
      extent = dynamicExtent;
      return Error::success();
    }
    bool isNegative = consume('-');
    StringRef digits = text.substr(at).take_while(isDigit);
    at += digits.size();
    if (digits.empty())
      return fail(begin, "expected an extent (a decimal integer, or ?)");
    if (isNegative)
      return fail(begin, "expected an extent of at least 0, got -" + digits);
    if (digits.getAsInteger(10, extent))
      return fail(begin, "expected an extent below 2^63, got " + digits);
    return Error::success();
  }

  /// "4x5", or nothing.
  Error parseEllipsis(size_t column) {
    if (sizes.ellipsis)
      return fail(column, "the ellipsis was given extents before");
    sizes.ellipsis.emplace();
    if (isAtEnd())
      return Error::success();
    do {
      if (Error error = parseExtent(sizes.ellipsis->emplace_back(0)))
        return error;
    } while (consume('x'));
    return Error::success();
  }

  Error parseLabel(size_t column, char label) {
    int64_t extent = 0, nominal = 0;
    if (Error error = parseExtent(extent))
      return error;
    if (size_t begin = at;
        extent == dynamicExtent && at != text.size() && isDigit(text[at])) {
      if (Error error = parseExtent(nominal))
        return error;
      if (nominal == 0)
        return fail(begin, "expected a nominal extent of at least 1, got 0");
    }
    for (const Sizes::Entry &earlier : sizes.entries)
      if (earlier.label == label)
        return fail(column, "label '" + Twine(label) +
                                "' was given before, "
                                "at column " +
                                Twine(earlier.column + 1));
    sizes.entries.push_back({label, extent, column, nominal});
    return Error::success();
  }

  Error parseEntry() {
    skipSpaces();
    size_t column = at;
    bool isEllipsis = text.substr(at).starts_with("...");
    if (!isEllipsis && (at == text.size() || !isAlpha(text[at])))
      return fail(column, "expected a label (a letter, or '...')");
    char label = text[at];
    at += isEllipsis ? 3 : 1;
    skipSpaces();
    size_t equals = at;
    if (!consume('='))
      return fail(equals, "expected '=' after " +
                              (isEllipsis ? Twine("the ellipsis")
                                          : "label '" + Twine(label) +
                                                "', a label is one letter"));
    if (Error error =
            isEllipsis ? parseEllipsis(column) : parseLabel(column, label))
      return error;
    if (!isAtEnd())
      return fail(at, "expected ',' or the end after an extent");
    return Error::success();
  }

  StringRef text;
  size_t at = 0;
  Sizes sizes;
};
} // namespace

Expected<Sizes> parseSizes(StringRef text) { return SizesParser(text).parse(); }

} // namespace mlir::tc
