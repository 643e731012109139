//===- Codec.cpp - C++ types as JSON --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Schema/Codec.h"

#include "tc/Schema/Structure.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace llvm;
using json::OStream;

namespace mlir::tc::schema {

void Definitions::refer(OStream &json, const AnyStructure &structure) {
  auto known = find_if(found, [&](const AnyStructure *other) {
    return other->getName() == structure.getName();
  });
  assert((known == found.end() || *known == &structure) &&
         "two structures of one name in a document");
  if (known == found.end())
    found.push_back(&structure);
  json.attribute("$ref", ("#/$defs/" + structure.getName()).str());
}

void Definitions::write(OStream &json) {
  if (found.empty())
    return;
  json.attributeObject("$defs", [&] {
    // A structure may add others to the list.
    for (size_t i = 0; i < found.size(); ++i)
      json.attributeObject(found[i]->getName(),
                           [&] { found[i]->describeMembers(json, *this); });
  });
}

//===----------------------------------------------------------------------===//
// Numbers, text
//===----------------------------------------------------------------------===//

Error Codec<bool>::read(const json::Value &from, const Place &place,
                        bool &value) {
  std::optional<bool> got = from.getAsBoolean();
  if (!got)
    return place.expected("true or false", from);
  value = *got;
  return Error::success();
}

void Codec<bool>::describe(OStream &json, Definitions &) {
  json.attribute("type", "boolean");
}

/// "an integer from -128 to 127".
template <typename T>
static std::string describeRange(T least, T most) {
  using Limits = std::numeric_limits<T>;
  if (std::is_signed_v<T> && least == Limits::min() && most == Limits::max())
    return "an integer of 64 bits";
  std::string top = most != Limits::max() ? std::to_string(most)
                    : std::is_signed_v<T> ? "2^63-1"
                                          : "2^64-1";
  return "an integer from " + std::to_string(least) + " to " + top;
}

Error readInteger(const json::Value &from, const Place &place, int64_t least,
                  int64_t most, int64_t &value) {
  std::optional<int64_t> got = from.getAsInteger();
  if (!got || *got < least || *got > most)
    return place.expected(describeRange(least, most), from);
  value = *got;
  return Error::success();
}

Error readInteger(const json::Value &from, const Place &place, uint64_t least,
                  uint64_t most, uint64_t &value) {
  std::optional<uint64_t> got = from.getAsUINT64();
  if (!got || *got < least || *got > most)
    return place.expected(describeRange(least, most), from);
  value = *got;
  return Error::success();
}

void describeInteger(OStream &json, bool isSigned, unsigned bits) {
  json.attribute("type", "integer");
  if (!isSigned)
    json.attribute("minimum", 0);
  if (bits == 64)
    return;
  int64_t places = int64_t(1) << (isSigned ? bits - 1 : bits);
  if (isSigned)
    json.attribute("minimum", -places);
  json.attribute("maximum", places - 1);
}

void Codec<double>::write(OStream &json, double value) {
  if (std::isfinite(value))
    json.value(value);
  else
    json.value(nullptr);
}

Error Codec<double>::read(const json::Value &from, const Place &place,
                          double &value) {
  std::optional<double> got = from.getAsNumber();
  if (!got)
    return place.expected("a number", from);
  value = *got;
  return Error::success();
}

void Codec<double>::describe(OStream &json, Definitions &) {
  json.attribute("type", "number");
}

void Codec<Rounded>::write(OStream &json, const Rounded &number) {
  if (!number.value || !std::isfinite(*number.value))
    return json.value(nullptr);
  json.rawValue(
      [&](raw_ostream &os) { os << format(number.format, *number.value); });
}

void Codec<Rounded>::describe(OStream &json, Definitions &) {
  json.attributeArray("type", [&] {
    json.value("number");
    json.value("null");
  });
}

void Codec<StringRef>::write(OStream &json, StringRef text) {
  if (json::isUTF8(text))
    json.value(text);
  else
    json.value(json::fixUTF8(text));
}

void Codec<StringRef>::describe(OStream &json, Definitions &) {
  json.attribute("type", "string");
}

Error Codec<std::string>::read(const json::Value &from, const Place &place,
                               std::string &text) {
  std::optional<StringRef> got = from.getAsString();
  if (!got)
    return place.expected("text", from);
  text = got->str();
  return Error::success();
}

Error readName(const json::Value &from, const Place &place,
               ArrayRef<StringLiteral> names, size_t &index) {
  std::optional<StringRef> got = from.getAsString();
  const StringLiteral *found = got ? find(names, *got) : names.end();
  if (found == names.end())
    return place.expected(names.size() == 1 ? "'" + names.front().str() + "'"
                                            : "one of " + join(names, ", "),
                          from);
  index = size_t(found - names.begin());
  return Error::success();
}

void describeNames(OStream &json, ArrayRef<StringLiteral> names) {
  json.attributeArray("enum", [&] {
    for (StringRef name : names)
      json.value(name);
  });
}

} // namespace mlir::tc::schema
