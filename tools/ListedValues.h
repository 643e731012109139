//===- ListedValues.h - Options of a few values -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_LISTEDVALUES_H
#define TC_TOOLS_LISTEDVALUES_H

#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"

namespace flags {

/// LLVM's parser of an option with `cl::values`, but that an error lists them:
/// "expected as-written or optimal, got 'best'".
template <typename T>
struct ListedValues : llvm::cl::parser<T> {
  using llvm::cl::parser<T>::parser;

  bool parse(llvm::cl::Option &option, llvm::StringRef name,
             llvm::StringRef given, T &value) {
    auto names = llvm::map_to_vector(
        this->Values, [](const auto &known) { return known.Name; });
    if (llvm::is_contained(names, given))
      return llvm::cl::parser<T>::parse(option, name, given, value);
    llvm::StringRef last = names.pop_back_val();
    std::string listed = names.empty()
                             ? last.str()
                             : llvm::join(names, ", ") + " or " + last.str();
    return option.error("expected " + listed + ", got '" + given + "'", name);
  }
};

/// An option of a few values.
template <typename T>
using Choice = llvm::cl::opt<T, /*ExternalStorage=*/false, ListedValues<T>>;

} // namespace flags

#endif // TC_TOOLS_LISTEDVALUES_H
