//===- Fuse.h - Two contractions as one -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two rewrites of tc-fuse, and when they may be done. All ops are on
// tensors and in one block.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_GRAPH_FUSE_H
#define TC_LIB_TRANSFORMS_GRAPH_FUSE_H

#include "tc/IR/ContractDefaults.h"

#include <optional>
#include <string>

namespace mlir::tc {

/// Does `op` compute each element of its one result from elements at one point,
/// all of the result, and nothing else?
bool isElementwise(ContractOp op);

/// Does `op` give each element of result `o` a new value, whatever the old ones
/// are?
bool replacesResult(ContractOp op, unsigned o);

/// Why reader `i` of `op`, an input or else a side, should not compute what
/// `producer` computes by itself; nothing when it should.
std::optional<std::string> explainProducer(ContractOp op, unsigned i,
                                           ContractOp producer);

/// `op` with the computation of the element-wise `producer` in place of operand
/// `i`, in the map or, for a side, in the epilogue. `op` is left without
/// regions, for the caller to erase.
ContractOp fuseProducer(RewriterBase &rewriter, ContractOp op, unsigned i,
                        ContractOp producer);

/// Why `consumer` cannot be computed where the results of `contract`, which it
/// reads, are; nothing when it can.
std::optional<std::string> explainConsumer(ContractOp contract,
                                           ContractOp consumer);

/// For each iterator of `consumer`, the iterator of `contract` that it is, by
/// the results of `contract` that `consumer` reads. Nothing where these do not
/// agree.
std::optional<SmallVector<AffineExpr>> findPoints(ContractOp contract,
                                                  ContractOp consumer);

/// `contract` with the element-wise `consumer` as its epilogue.
ContractOp fuseConsumer(RewriterBase &rewriter, ContractOp contract,
                        ContractOp consumer);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_GRAPH_FUSE_H
