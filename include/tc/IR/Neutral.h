//===- Neutral.h - What a combination leaves as it is -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Neutral elements as upstream has them, but for floats without infinities
// (f8E4M3FN), of which upstream takes NaN for those of minima and maxima. There
// the largest number is neutral, or the smallest.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_NEUTRAL_H
#define TC_IR_NEUTRAL_H

#include "mlir/Dialect/Arith/IR/Arith.h"

namespace mlir::tc {

/// Of an op of two operands; null if none is known.
TypedAttr getNeutralElement(Operation *op);

/// Of an atomic update, as arith::getIdentityValueAttr.
TypedAttr getIdentityOf(arith::AtomicRMWKind kind, Type type,
                        OpBuilder &builder, Location loc);

} // namespace mlir::tc

#endif // TC_IR_NEUTRAL_H
