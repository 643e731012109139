//===- Version.h - What --version prints ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The version of tc, and that of the LLVM, MLIR included, that it was built
// with.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_VERSION_H
#define TC_TOOLS_VERSION_H

#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"

namespace flags {

/// To be called before options are parsed.
inline void setVersion() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "tc version " TC_VERSION ", with LLVM " LLVM_VERSION_STRING "\n";
  });
}

} // namespace flags

#endif // TC_TOOLS_VERSION_H
