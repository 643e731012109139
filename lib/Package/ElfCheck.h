//===- ElfCheck.h - Is an ELF file whole? ----------------------- -*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What programs write may be cut off, by a full disk first of all, and they do
// not all say so.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_PACKAGE_ELFCHECK_H
#define TC_LIB_PACKAGE_ELFCHECK_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace mlir::tc {

/// Refuses bytes that are not an ELF file of 64 bits, little-endian, with all
/// of its headers and sections.
llvm::Error checkElf(llvm::StringRef bytes);

} // namespace mlir::tc

#endif // TC_LIB_PACKAGE_ELFCHECK_H
