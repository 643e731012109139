//===- Libraries.h - An object as libraries ------------------- -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A static library of one object, and a shared one, made by the linker of LLVM
// or of the system.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PACKAGE_LIBRARIES_H
#define TC_PACKAGE_LIBRARIES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace mlir::tc {

/// A static library that holds `object` under the name `member`.
llvm::Expected<std::string> makeArchive(llvm::StringRef member,
                                        llvm::StringRef object);

/// The linker: the program that the environment's TC_LINKER names, else LLVM's
/// ld.lld, beside this program or on the PATH, or the system's ld.
llvm::Expected<std::string> findLinker();

/// A shared library of `object`, called `name`, that needs libtc-runtime.so and
/// looks for it beside itself.
llvm::Expected<std::string> linkShared(llvm::StringRef linker,
                                       llvm::StringRef object,
                                       llvm::StringRef name,
                                       llvm::StringRef runtime);

} // namespace mlir::tc

#endif // TC_PACKAGE_LIBRARIES_H
