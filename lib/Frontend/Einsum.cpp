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
#include "llvm/Support/MathExtras.h"

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

/// Reads the labels of one operand in text[begin, end).
static Expected<Einsum::Operand> parseOperand(StringRef text, size_t begin,
                                              size_t end) {
  Einsum::Operand operand;
  for (size_t column = begin; column != end; ++column) {
    char c = text[column];
    if (c == ' ')
      continue;
    if (c == '.')
      return subscriptError(text, column,
                            "an ellipsis is not supported; expected a label "
                            "for every dimension");
    if (c == '-' || c == '>')
      return subscriptError(text, column,
                            "expected a single '->' between inputs and output");
    if (!isAlpha(c))
      return subscriptError(text, column,
                            "invalid subscript '" + printable(c) +
                                "' in einstein sum subscripts string, "
                                "subscripts must be letters");
    operand.labels.push_back(c);
    operand.columns.push_back(column);
  }
  return operand;
}

/// NumPy's implicit output: the labels that occur once, in order of their
/// codes.
static std::string implicitOutput(ArrayRef<Einsum::Operand> inputs) {
  std::string all, output;
  for (const Einsum::Operand &input : inputs)
    all += input.labels;
  for (char label : all)
    if (llvm::count(all, label) == 1)
      output.push_back(label);
  llvm::sort(output);
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
  if (text.trim().empty())
    return subscriptError(text, 0, "expected subscripts, got an empty string");
  Einsum einsum;
  einsum.source = text.str();
  size_t arrow = text.find("->");
  bool isExplicit = arrow != StringRef::npos;
  size_t end = isExplicit ? arrow : text.size();
  for (size_t begin = 0; begin <= end;) {
    size_t comma = std::min(text.find(',', begin), end);
    Expected<Einsum::Operand> operand = parseOperand(text, begin, comma);
    if (!operand)
      return operand.takeError();
    einsum.inputs.push_back(std::move(*operand));
    begin = comma + 1;
  }
  if (!isExplicit) {
    einsum.output.labels = implicitOutput(einsum.inputs);
    einsum.output.columns.assign(einsum.output.labels.size(), 0);
    return einsum;
  }
  size_t comma = text.find(',', arrow);
  if (comma != StringRef::npos)
    return subscriptError(text, comma, "expected one output, got a ','");
  Expected<Einsum::Operand> output = parseOperand(text, arrow + 2, text.size());
  if (!output)
    return output.takeError();
  einsum.output = std::move(*output);
  if (Error error = checkOutput(einsum))
    return error;
  return einsum;
}

std::string Einsum::text() const {
  std::string result;
  for (const Operand &input : inputs) {
    if (&input != inputs.begin())
      result += ',';
    result += input.labels;
  }
  return result + "->" + output.labels;
}

std::string Einsum::iterators() const {
  std::string result = output.labels;
  for (const Operand &input : inputs)
    for (char label : input.labels)
      if (!StringRef(result).contains(label))
        result.push_back(label);
  return result;
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

/// Reads one "label=extent" in text[begin, end) and appends it to `sizes`.
static Error parseEntry(StringRef text, size_t begin, size_t end,
                        Sizes &sizes) {
  auto fail = [&](size_t column, const Twine &message) {
    return errorInText("sizes", text, column, message);
  };
  auto skipSpaces = [&](size_t column) {
    while (column != end && text[column] == ' ')
      ++column;
    return column;
  };
  size_t column = skipSpaces(begin);
  if (column == end || !isAlpha(text[column]))
    return fail(column, "expected a label (one letter)");
  Sizes::Entry entry{text[column], 0, column};
  size_t equals = skipSpaces(column + 1);
  if (equals == end || text[equals] != '=')
    return fail(equals, "expected '=' after label '" + Twine(entry.label) +
                            "', a label is one letter");
  size_t number = skipSpaces(equals + 1);
  StringRef digits = text.slice(number, end).rtrim(' ');
  if (digits.consume_front("-") && !digits.empty() &&
      llvm::all_of(digits, isDigit))
    return fail(number, "expected an extent of at least 0, got -" + digits);
  if (digits.empty() || !llvm::all_of(digits, isDigit))
    return fail(number, "expected an extent (a decimal integer)");
  if (digits.getAsInteger(10, entry.extent))
    return fail(number, "expected an extent below 2^63, got " + digits);
  for (const Sizes::Entry &earlier : sizes.entries)
    if (earlier.label == entry.label)
      return fail(column, "label '" + Twine(entry.label) +
                              "' was given extent " + Twine(earlier.extent) +
                              " at column " + Twine(earlier.column + 1) +
                              ", and again " + Twine(entry.extent));
  sizes.entries.push_back(entry);
  return Error::success();
}

Expected<Sizes> parseSizes(StringRef text) {
  Sizes sizes;
  sizes.source = text.str();
  if (text.trim(' ').empty())
    return sizes;
  for (size_t begin = 0; begin <= text.size();) {
    size_t comma = std::min(text.find(',', begin), text.size());
    if (Error error = parseEntry(text, begin, comma, sizes))
      return error;
    begin = comma + 1;
  }
  return sizes;
}

SmallVector<int64_t> shapeOf(const Einsum::Operand &operand,
                             const Sizes &sizes) {
  SmallVector<int64_t> shape;
  for (char label : operand.labels)
    shape.push_back(sizes.find(label).value_or(0));
  return shape;
}

/// True when the product of the non-zero extents is below 2^62. Zeros do not
/// excuse the others: strides are products of them.
static bool isCountable(StringRef labels, const Sizes &sizes) {
  int64_t count = 1;
  for (char label : labels) {
    int64_t extent = std::max<int64_t>(sizes.find(label).value_or(1), 1);
    if (MulOverflow(count, extent, count) || count >= int64_t(1) << 62)
      return false;
  }
  return true;
}

Error checkSizes(const Einsum &einsum, const Sizes &sizes) {
  for (const Einsum::Operand &input : einsum.inputs) {
    for (auto [label, column] : llvm::zip(input.labels, input.columns))
      if (!sizes.find(label))
        return subscriptError(einsum.source, column,
                              "label '" + Twine(label) +
                                  "' has no extent; expected '" + Twine(label) +
                                  "=N' among the sizes");
    if (!isCountable(input.labels, sizes))
      return subscriptError(einsum.source,
                            input.columns.empty() ? 0 : input.columns.front(),
                            "expected an operand of fewer than 2^62 elements");
  }
  std::string iterators = einsum.iterators();
  for (const Sizes::Entry &entry : sizes.entries)
    if (!StringRef(iterators).contains(entry.label))
      return errorInText("sizes", sizes.source, entry.column,
                         "unknown label '" + Twine(entry.label) +
                             "': it is not in the einsum '" + einsum.source +
                             "'");
  if (!isCountable(iterators, sizes))
    return subscriptError(einsum.source, 0,
                          "expected an iteration space of fewer than 2^62 "
                          "points");
  return Error::success();
}

} // namespace mlir::tc
