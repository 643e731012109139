//===- Rounding.h - How roundings pass through scalar ops -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds of what an implementation may make of a number (Reference.h).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_ROUNDING_H
#define TC_LIB_REFERENCE_ROUNDING_H

#include "ScalarOps.h"

namespace mlir::tc::reference {

/// How far an implementation may be from the value of a float.
double boundError(const Scalar &real);

/// The result of a choice between `first` and `second` that rounding errors
/// decide: an implementation may get the other one than `chosen`.
Scalar chooseUndecided(const Scalar &chosen, const Scalar &first,
                       const Scalar &second, const ScalarOp &op);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_ROUNDING_H
