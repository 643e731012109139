//===- LibraryPath.h - Where the emulator lies ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The places where the emulator's shared library is looked for.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_LIBRARYPATH_H
#define TC_LIB_RUNTIME_LIBRARYPATH_H

#include <string>
#include <vector>

namespace tc::runtime {

/// The directory of the executable or shared library that holds this code, or
/// "" where the system does not say.
std::string getOwnDirectory();

/// What to pass to dlopen, in order. The environment's TC_EMULATOR_LIBRARY
/// alone, if it is set; else the library beside this code, and that on the
/// dynamic linker's path. In no other folder: whoever may write there need not
/// be whom the program trusts.
std::vector<std::string> emulatorCandidates();

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_LIBRARYPATH_H
