//===- OutOfMemory.h - Errors where memory runs out -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM aborts, with a stack dump, where it gets no memory and where it gets no
// thread, and MLIR writes to where there is none. None of these is a fault of a
// tool, which says what is missing and ends.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_OUTOFMEMORY_H
#define TC_TOOLS_OUTOFMEMORY_H

namespace flags {

/// Makes errors of LLVM's aborts for want of memory; `tool` is a literal.
void exitWhenOutOfMemory(const char *tool);

} // namespace flags

#endif // TC_TOOLS_OUTOFMEMORY_H
