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

namespace mlir::tc {

/// What a contraction becomes whose accumulators go through memory.
struct ContractParts {
  ContractOp intoBuffers;
  /// What combines the parts and writes the results, then what is left over.
  ContractGroup fromBuffers;
};

/// Replaces `op` by a contraction into buffers, one for each accumulator, and
/// one from these into its results. Each part that its schedule splits a sum
/// into has its place in the buffers. Fails with a report when operands are no
/// strided memrefs.
FailureOr<ContractParts> splitIntoBuffers(RewriterBase &rewriter,
                                          ContractOp op);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_CONTRACT_SPLIT_H
