//===- ThreadParts.h - The part of a buffer that a thread has ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_THREADPARTS_H
#define TC_LIB_TRANSFORMS_NESTS_THREADPARTS_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Lets loads, stores and views of a buffer `threads(n)` that stay in the part
/// of their thread take it as a memref.subview at the thread's indices. Others
/// stay as they are.
void takeThreadParts(RewriterBase &rewriter, NewOp buffer);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_THREADPARTS_H
