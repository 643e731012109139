//===- Split.h - Parts of a sum in buffers ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_CONTRACT_SPLIT_H
#define TC_LIB_TRANSFORMS_CONTRACT_SPLIT_H

#include "tc/Transforms/Transforms.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"

namespace mlir::tc {

/// What a contraction becomes whose accumulators go through memory.
struct ContractParts {
  ContractOp intoBuffers;
  /// What combines the parts and writes the results, then what is left over.
  ContractGroup fromBuffers;
};

/// How an iterator is divided: parts of one length, and what is left over.
struct Division {
  OpFoldResult count, length;
  bool mayLeaveRest;

  bool isDivided() const { return getConstantIntValue(count) != 1; }
};

/// How the schedule of `op` divides each iterator of it. Static extents have as
/// many parts as it says, dynamic ones at most; with `most`, each has at most
/// that many.
SmallVector<Division> divideByExtents(OpBuilder &builder, ContractOp op,
                                      OpFoldResult most = {});

/// Replaces `op` by a contraction into buffers, one for each accumulator, and
/// one from these into its results. Each part has its place in the buffers.
/// Fails with a report when operands are no strided memrefs.
FailureOr<ContractParts> splitIntoBuffers(RewriterBase &rewriter, ContractOp op,
                                          ArrayRef<Division> divisions);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_SPLIT_H
