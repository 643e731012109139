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

#include "tc/Analysis/Access.h"
#include "tc/IR/TC.h"
#include "tc/Transforms/Passes.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Contractions that one kernel computes: one by itself, or the terms of a
/// tc.sum.
using ContractGroup = SmallVector<ContractOp>;

/// The contractions on memrefs that are not in a nest, in order.
SmallVector<ContractGroup> collectContractions(Operation *root);

/// Is every subscript a single iterator, each extent above 1 or contracted
/// and 0, and the layout of each operand static or that of a tc.view?
bool isNormal(ContractOp op);

/// Brings `ops` to normal form (see tc-normalize). The result is the new ops,
/// none when there are no results to compute and `ops` were erased. Fails with
/// a report when operands are no strided memrefs, or result elements overlap.
FailureOr<ContractGroup> normalize(RewriterBase &rewriter, ContractGroup ops);

/// Puts a legal schedule on each of the normal `ops` that has none, or checks
/// the one that is there. Reports an illegal one. `sizes` is as that of
/// searchSchedules.
LogicalResult schedule(ContractGroup &ops, MachineAttr machine,
                       ArrayRef<NominalExtents> sizes = {});

/// Replaces scheduled, normal `ops` by a contraction of the parts that their
/// schedule splits them into, and what combines these (see tc-split). The
/// result is all contractions, scheduled; `ops` where nothing is split.
FailureOr<SmallVector<ContractGroup>>
split(RewriterBase &rewriter, ContractGroup ops, MachineAttr machine);

/// Which kernels there are to be of a contraction of run-time extents.
struct VariantChoice {
  TileVariants tiles = TileVariants::Two;
  IndexVariants indices = IndexVariants::Both;
};

/// Replaces scheduled, normal `ops` by a copy for each kernel that is worth
/// having, with what chooses between them (see tc-variants). The result is the
/// copies.
SmallVector<ContractGroup> makeVariants(RewriterBase &rewriter,
                                        ContractGroup ops,
                                        VariantChoice choice = {});

/// Replaces scheduled `ops` by their nest (see tc-tile), which it returns.
FailureOr<ParOp> tile(RewriterBase &rewriter, ContractGroup ops);

} // namespace mlir::tc

#endif // TC_TRANSFORMS_TRANSFORMS_H
