//===- Json.h - JSON that users give ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses JSON of any origin.
//
//===----------------------------------------------------------------------===//

#ifndef TC_FILES_JSON_H
#define TC_FILES_JSON_H

#include "llvm/Support/JSON.h"

namespace mlir::tc {

/// How deep arrays and objects may be nested.
inline constexpr unsigned maxJsonDepth = 200;

/// As llvm::json::parse, which recurses as deep as its text is nested: text
/// that is nested deeper than maxJsonDepth is an error.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace mlir::tc

#endif // TC_FILES_JSON_H
