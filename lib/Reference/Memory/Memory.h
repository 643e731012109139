//===- Memory.h - What the reference may allocate -------------*- C++ -*-====//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory of a reference evaluation is taken only where the machine, and the
// limits of the process, have it: an error is better than to be killed.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_MEMORY_MEMORY_H
#define TC_LIB_REFERENCE_MEMORY_MEMORY_H

#include <cstdint>

namespace mlir::tc::reference {

/// May as many bytes be allocated now? Of few bytes it is not asked.
bool canAllocate(int64_t bytes);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_MEMORY_MEMORY_H
