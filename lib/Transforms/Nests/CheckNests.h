//===- CheckNests.h - Report iterations that depend on each other -*- C++ -*-=//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_CHECKNESTS_H
#define TC_LIB_TRANSFORMS_NESTS_CHECKNESTS_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// An error where two iterations touch one element, one of them writes, and
/// this is certain.
LogicalResult checkIndependence(ParOp par, NestValues &values);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_CHECKNESTS_H
