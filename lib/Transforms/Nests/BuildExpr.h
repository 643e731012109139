//===- BuildExpr.h - Expressions over values of nests -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_NESTS_BUILDEXPR_H
#define TC_LIB_TRANSFORMS_NESTS_BUILDEXPR_H

#include "tc/Analysis/NestAccess.h"

#include "mlir/IR/Builders.h"

namespace mlir::tc {

/// `expr`, over dimensions of `values`, as a value.
OpFoldResult buildExpr(OpBuilder &builder, Location loc, AffineExpr expr,
                       NestValues &values);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_NESTS_BUILDEXPR_H
