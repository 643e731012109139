//===- HostLoops.h - Contractions that stay loops ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H
#define TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H

#include "tc/IR/TC.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Is `op` one that a CPU computes as a whole: on memrefs, outside of nests?
bool isOfHost(ContractOp op);

/// Says on a loop of a contraction that no input shares elements with a result,
/// which is so for every one, where no side does.
void markDistinct(scf::ParallelOp loop, bool hasSides);

/// Puts the iterators of `op` in the order of memory, results before sums, and
/// the outer ones of the results, where there are enough terms, into an
/// scf.parallel round it. The loops that it will be are then of one task, and
/// the innermost goes through neighbours where there are any: over a block of
/// the last result, inside of those over sums, if only results have them.
LogicalResult shareLoops(RewriterBase &rewriter, ContractOp op);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H
