//===- Vectors.h - Values of vectors in the reference -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A vector is a view, as a tensor is. Nothing writes to the elements of one
// that has been computed, so what only rearranges them makes views of them, and
// what broadcasts them a view with strides of 0.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_VECTORS_VECTORS_H
#define TC_LIB_REFERENCE_VECTORS_VECTORS_H

#include "State.h"
#include "Values/ScalarOps.h"

#include "mlir/IR/AffineMap.h"

namespace mlir::tc::reference {

/// `base` over an index space of `extents`, at each point of which it has the
/// element base[map(point)]. The results of `map` are dimensions, or 0.
View project(const View &base, AffineMap map, ArrayRef<int64_t> extents);

/// Gives `result` the elements of `view`; one of a scalar type gets its only
/// one.
llvm::Error setVector(Value result, llvm::Expected<View> view, State &state);

/// Gives the result of `op` what `function` makes of the elements of all
/// operands. Scalars count for each element.
llvm::Error evaluateElements(Operation *op, const ScalarOp &function,
                             State &state);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VECTORS_VECTORS_H
