//===- Document.cpp - Structures as JSON documents ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Schema/Document.h"

#include "tc/Files/Json.h"

using namespace llvm;
using json::OStream;

namespace mlir::tc::schema {

Expected<json::Value> parseText(StringRef text, StringRef document) {
  Expected<json::Value> value = parseJson(text);
  if (!value)
    return Place(document).error("expected JSON: " +
                                 toString(value.takeError()));
  return value;
}

std::string formatText(function_ref<void(OStream &)> write, unsigned indent) {
  std::string text;
  raw_string_ostream stream(text);
  OStream json(stream, indent);
  write(json);
  json.flush();
  return text;
}

std::string formatSchema(StringRef title,
                         void (*describe)(OStream &, Definitions &)) {
  auto write = [&](OStream &json) {
    json.object([&] {
      json.attribute("$schema", "https://json-schema.org/draft/2020-12/schema");
      json.attribute("title", title);
      Definitions all;
      describe(json, all);
      all.write(json);
    });
  };
  return formatText(write, /*indent=*/2) + "\n";
}

} // namespace mlir::tc::schema
