//===- Transforms.h - The rewrites behind the passes ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each pass is a thin shell over one of these functions, which other compilers
// may call on a single op.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_TRANSFORMS_H
#define TC_TRANSFORMS_TRANSFORMS_H

#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Is every subscript a single iterator, each extent above 1 or contracted
/// and 0, and each operand varying by a stride with each of its iterators?
bool isNormal(ContractOp op);

/// Brings `op` to normal form (see tc-normalize). The result is the new op, or
/// null when `op` has no results to compute and was erased. Fails with a report
/// when extents, shapes or strides are not static, or result elements overlap.
FailureOr<ContractOp> normalize(RewriterBase &rewriter, ContractOp op);

/// The machine a program is compiled for: `chip` if not empty, else the
/// `tc.machine` of an enclosing op, else sm_80. Reports unknown chips at `op`.
FailureOr<MachineAttr> findMachine(Operation *op, StringRef chip);

/// Puts a legal schedule on a normal `op` that has none, or checks the one that
/// is there. Reports an illegal one.
LogicalResult schedule(ContractOp op, MachineAttr machine);

/// Replaces a scheduled `op` by its nest (see tc-tile).
LogicalResult tile(RewriterBase &rewriter, ContractOp op);

} // namespace mlir::tc

#endif // TC_TRANSFORMS_TRANSFORMS_H
