//===- PlaceBuffers.h - A memory space for every buffer ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_PLACEBUFFERS_H
#define TC_LIB_TRANSFORMS_NESTS_PLACEBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tc {

/// Gives each tc.new that has no memory space one, by who may use it and how
/// large it is; remarks say why. Shared buffers that do not live at the same
/// time get the same memory. One outside of any tc.par becomes a memref.alloc;
/// reports one that is to be elsewhere.
LogicalResult placeBuffers(func::FuncOp function);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_PLACEBUFFERS_H
