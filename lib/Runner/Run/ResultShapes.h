//===- ResultShapes.h - Shapes of what a function returns ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_RESULTSHAPES_H
#define TC_LIB_RUNNER_RUN_RESULTSHAPES_H

#include "tc/Arrays/NumpyFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace mlir::tc {

/// The shape of each result of `function` for these arguments, one for each of
/// its own. An extent that does not follow from their extents, and from those
/// of type index, stays dynamic.
SmallVector<SmallVector<int64_t>>
findResultShapes(func::FuncOp function, ArrayRef<NumpyArray> arguments);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_RESULTSHAPES_H
