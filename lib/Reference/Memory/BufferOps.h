//===- BufferOps.h - Buffers of a reference evaluation --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers that a program makes, and copies of whole ones.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_MEMORY_BUFFEROPS_H
#define TC_LIB_REFERENCE_MEMORY_BUFFEROPS_H

#include "State.h"

#include "mlir/IR/Operation.h"

namespace mlir::tc::reference {

/// The sizes of a value of `type`, the dynamic ones as they are given.
SmallVector<int64_t> sizesOf(ShapedType type, ValueRange dynamicSizes,
                             State &state);

/// Copies the elements of `source`, in row-major order, into those of `target`.
llvm::Error copyElements(const View &source, const View &target, State &state);

/// A buffer of the layout that `type` has; dynamic offsets and strides are
/// those of row-major order.
llvm::Expected<View> allocate(Type type, llvm::ArrayRef<int64_t> sizes,
                              Scalar element = Scalar::unwritten());

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_MEMORY_BUFFEROPS_H
