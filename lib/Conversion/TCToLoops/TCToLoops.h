//===- TCToLoops.h - Pieces of convert-tc-to-loops --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lowering of each op; the pass puts them together. All of them replace the
// op at its place and expect types without memory spaces.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOLOOPS_TCTOLOOPS_H
#define TC_LIB_CONVERSION_TCTOLOOPS_TCTOLOOPS_H

#include "tc/IR/TC.h"

#include "mlir/IR/PatternMatch.h"

namespace mlir::tc {

/// One loop per result iterator, then one per contracted iterator with the sum
/// in a carried value. With `vectorizes` the innermost loop is for LLVM's
/// vectors, and sums may be added up in another order where the op allows it.
/// Fails, with an error, on tensors.
LogicalResult lowerContract(IRRewriter &rewriter, ContractOp op,
                            bool vectorizes);

/// Moves the ops of a region of one block to the insertion point; and what it
/// yields.
SmallVector<Value> moveRegion(IRRewriter &rewriter, Region &region,
                              ValueRange arguments);

/// The body of the nest in `scf.for` loops, in ascending order.
void lowerPar(IRRewriter &rewriter, ParOp op);
/// The same in an `scf.parallel`.
void lowerParToParallel(IRRewriter &rewriter, ParOp op);
void lowerSeq(IRRewriter &rewriter, SeqOp op);

/// Loops that combine one term after the other, and what is to be done at the
/// end or after each. With `vectorizes` sums of floats may be added up in
/// another order.
void lowerReduce(IRRewriter &rewriter, ReduceOp op, bool vectorizes);
void lowerScan(IRRewriter &rewriter, ScanOp op);

/// Loops over the arrays, in which each index finds its partition.
void lowerWith(IRRewriter &rewriter, WithOp op);

/// `memref.reinterpret_cast`, with the offset of the source added.
void lowerView(IRRewriter &rewriter, ViewOp op);

/// A heap buffer, freed where the block of the op ends. Fails, with an error,
/// when the layout of the result is not static.
LogicalResult lowerNew(IRRewriter &rewriter, NewOp op);

/// As `lowerNew`, then pad everywhere the source does not reach, and copy.
LogicalResult lowerStage(IRRewriter &rewriter, StageOp op);

} // namespace mlir::tc

#endif // TC_LIB_CONVERSION_TCTOLOOPS_TCTOLOOPS_H
