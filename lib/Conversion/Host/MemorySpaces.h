//===- MemorySpaces.h - Memory spaces of types -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_HOST_MEMORYSPACES_H
#define TC_LIB_CONVERSION_HOST_MEMORYSPACES_H

#include "mlir/IR/Operation.h"

namespace mlir::tc {

/// Removes the memory spaces of which `drops` says so from every type in
/// `root`, and the casts that then do nothing.
void dropMemorySpaces(Operation *root, function_ref<bool(Attribute)> drops);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_HOST_MEMORYSPACES_H
