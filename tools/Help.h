//===- Help.h - What --help of a tool shows ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_HELP_H
#define TC_TOOLS_HELP_H

#include "llvm/Support/CommandLine.h"

namespace flags {

/// Hides the options that there are by now from `--help`: called first in main,
/// those that LLVM's libraries bring along. They can still be given, and
/// `--help-hidden` shows them.
inline void hideOptionsOfLLVM() {
  for (auto &[name, option] : llvm::cl::getRegisteredOptions())
    if (option->getOptionHiddenFlag() == llvm::cl::NotHidden &&
        name != "help" && name != "help-list" && name != "version")
      option->setHiddenFlag(llvm::cl::Hidden);
}

} // namespace flags

#endif // TC_TOOLS_HELP_H
