//===- Document.h - Structures as JSON documents ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What follows from a description: the text of a value, a value of text, and
// the JSON Schema of both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEMA_DOCUMENT_H
#define TC_SCHEMA_DOCUMENT_H

#include "tc/Schema/Structure.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mlir::tc::schema {

/// As parseJson. Errors begin with the name of the document.
llvm::Expected<llvm::json::Value> parseText(llvm::StringRef text,
                                            llvm::StringRef document);

/// The value of a document: the path of a file, or the name of an option, for
/// messages. `value` is what is not in the text.
template <typename T>
llvm::Expected<T> parse(llvm::StringRef text, llvm::StringRef document,
                        T value = T()) {
  llvm::Expected<llvm::json::Value> from = parseText(text, document);
  if (!from)
    return from.takeError();
  if (llvm::Error error = Codec<T>::read(*from, Place(document), value))
    return std::move(error);
  return value;
}

/// JSON by what writes it, with lines indented by that much; 0: one line
/// without an end.
std::string formatText(llvm::function_ref<void(llvm::json::OStream &)> write,
                       unsigned indent);

template <typename T>
std::string format(const T &value, unsigned indent = 0) {
  return formatText(
      [&](llvm::json::OStream &json) { Codec<T>::write(json, value); }, indent);
}

/// A document of JSON Schema (draft 2020-12), with members in the order of
/// descriptions. `unit` is a keyword of our own; validators pass over it.
std::string formatSchema(llvm::StringRef title,
                         void (*describe)(llvm::json::OStream &,
                                          Definitions &));

template <typename T>
std::string formatSchema(llvm::StringRef title) {
  return formatSchema(title, Codec<T>::describe);
}

} // namespace mlir::tc::schema

#endif // TC_SCHEMA_DOCUMENT_H
