//===- Json.cpp - JSON that users give ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Files/Json.h"

using namespace llvm;

namespace mlir::tc {

/// Where `text` is nested too deep, else npos. Brackets in strings do not
/// count.
static size_t findTooDeep(StringRef text) {
  unsigned depth = 0;
  bool isInString = false;
  for (size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (isInString && c == '\\')
      ++at; // whatever is escaped
    else if (c == '"')
      isInString = !isInString;
    else if (!isInString && (c == '[' || c == '{') && ++depth > maxJsonDepth)
      return at;
    else if (!isInString && (c == ']' || c == '}') && depth != 0)
      --depth;
  }
  return StringRef::npos;
}

Expected<json::Value> parseJson(StringRef text) {
  size_t at = findTooDeep(text);
  if (at == StringRef::npos)
    return json::parse(text);
  return createStringError("byte " + Twine(at) +
                           ": expected arrays and objects nested at most " +
                           Twine(maxJsonDepth) + " deep");
}

} // namespace mlir::tc
