//===- ViewOps.h - Buffers and views of them --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of views.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_MEMORY_VIEWOPS_H
#define TC_LIB_REFERENCE_MEMORY_VIEWOPS_H

#include "State.h"

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

namespace mlir::tc::reference {

/// A slice of `base`. Fails where it leaves it.
llvm::Expected<View> sliceView(const View &base,
                               llvm::ArrayRef<int64_t> offsets,
                               llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> strides);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_MEMORY_VIEWOPS_H
