//===- ContractDefaults.h - Regions that need not be said -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tc.contract without regions multiplies, adds and converts. Whoever puts one
// together from scalar code of another op builds regions and asks here which of
// them say nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_CONTRACTDEFAULTS_H
#define TC_IR_CONTRACTDEFAULTS_H

#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// What `value` is converted from by one conversion of convertNumber's, or
/// `value` itself.
Value stripConversion(Value value);

/// Does `op`, which may be null, multiply two numbers?
bool isMultiplication(Operation *op);

/// The arguments of `map`'s block of which it yields the product, in an order
/// in which multiplying from the left rounds the same; an argument that is a
/// factor twice is there twice. Fails when it yields anything else.
FailureOr<SmallVector<unsigned>> matchProduct(Region &map);

/// `op` without the regions that say what would happen without them: products
/// of converted inputs, sums from zero that may be reordered, and conversions
/// to the results. Inputs that no map reads go away. Replaces `op` where its
/// inputs change.
ContractOp dropDefaultRegions(RewriterBase &rewriter, ContractOp op);

} // namespace mlir::tc

#endif // TC_IR_CONTRACTDEFAULTS_H
