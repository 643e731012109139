//===- Place.h - Where a value is in a document -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The path of a value in JSON, for messages: "kernels[0].grid".
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEMA_PLACE_H
#define TC_SCHEMA_PLACE_H

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>

namespace mlir::tc::schema {

/// A link of a chain that ends at the document. Links are on the stack of the
/// reader, which passes each down by reference: a path becomes text only for a
/// message.
class Place {
public:
  /// All of a document: the path of a file, or the option that has it.
  explicit Place(llvm::StringRef document) : name(document) {}
  Place(const Place &object, llvm::StringRef member)
      : parent(&object), name(member) {}
  Place(const Place &array, size_t index) : parent(&array), index(index) {}

  /// "case: inputs[1]", "operands[0].shape".
  std::string str() const;

  /// "x.json: kernels[0].grid: `message`".
  llvm::Error error(const llvm::Twine &message) const;
  /// "...: expected `what`, got 1.5". Of text, the beginning is shown.
  llvm::Error expected(const llvm::Twine &what,
                       const llvm::json::Value &got) const;

private:
  const Place *parent = nullptr; ///< null: the document
  llvm::StringRef name;          ///< empty: an element
  size_t index = 0;
};

} // namespace mlir::tc::schema

#endif // TC_SCHEMA_PLACE_H
