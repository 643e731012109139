//===- HostLoops.h - Contractions that stay loops ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H
#define TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H

#include "Contract/Indexing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// Says on a loop of `op` that no input of it shares elements with a result,
/// which is so for every contraction, where no side does.
void markDistinct(scf::ParallelOp loop, ContractOp op);

/// Puts the iterators of `op` in the order of memory, results before sums, and
/// the outer ones of the results, where there are enough terms, into an
/// scf.parallel round it. The loops that it will be are then of one task, and
/// the innermost goes through neighbours where there are any.
void shareLoops(RewriterBase &rewriter, ContractOp op,
                const ContractAccess &access);

/// Replaces `op`, of known extents, by a nest whose loops over `sums` are
/// outside of one over a block of the last of `results`; blocks are tasks.
void buildSumsOutside(ContractOp op, const ContractAccess &access,
                      ArrayRef<unsigned> results, ArrayRef<unsigned> sums);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTLOOPS_H
