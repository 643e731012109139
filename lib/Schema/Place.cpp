//===- Place.cpp - Where a value is in a document -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Schema/Place.h"

#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace mlir::tc::schema {

std::string Place::str() const {
  if (!parent)
    return name.str();
  std::string before = parent->str();
  if (name.empty())
    return before + "[" + std::to_string(index) + "]";
  return before + (parent->parent ? "." : ": ") + name.str();
}

Error Place::error(const Twine &message) const {
  std::string where = str();
  return createStringError(where + (where.empty() ? "" : ": ") + message);
}

/// A value in a message: what it is where it may be long.
static std::string describe(const json::Value &value) {
  constexpr size_t most = 40;
  if (value.getAsArray())
    return "an array";
  if (value.getAsObject())
    return "an object";
  if (std::optional<StringRef> text = value.getAsString())
    return text->size() > most ? "'" + text->take_front(most).str() + "...'"
                               : "'" + text->str() + "'";
  return formatv("{0}", value);
}

Error Place::expected(const Twine &what, const json::Value &got) const {
  return error("expected " + what + ", got " + describe(got));
}

} // namespace mlir::tc::schema
