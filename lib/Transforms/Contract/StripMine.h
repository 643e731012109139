//===- StripMine.h - Vectors as iterators of their own ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_STRIPMINE_H
#define TC_LIB_TRANSFORMS_CONTRACT_STRIPMINE_H

#include "tc/Transforms/Transforms.h"

namespace mlir::tc {

/// Splits each iterator i of scheduled `ops` that has a vector of v, which is
/// known to divide its extent, into one of a v-th of the extent, of the same
/// name, and one of extent v, which a thread or a step holds whole; and one
/// that `thread` lists twice into one for each. The new schedules have no
/// vectors, and list each iterator once; neighbours along other extents are
/// registers of a thread.
FailureOr<ContractGroup> stripMine(RewriterBase &rewriter, ContractGroup ops);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_STRIPMINE_H
