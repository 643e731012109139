//===- Fuse.h - Two contractions as one -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two rewrites of tc-fuse, and when they may be done. Ops are in one block,
// on tensors or on memrefs.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_GRAPH_FUSE_H
#define TC_LIB_TRANSFORMS_GRAPH_FUSE_H

#include "tc/IR/ContractDefaults.h"

#include <optional>
#include <string>

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// FuseMemory.cpp: who computes what an operand holds
//===----------------------------------------------------------------------===//

/// The number of the result of `op` that `value` is: on memrefs, of the buffer
/// that it writes to.
std::optional<unsigned> findResult(ContractOp op, Value value);

/// The inputs and sides of `op` that `producer` computes.
unsigned countOperandsFrom(ContractOp producer, ContractOp op);

/// The contraction that computes what `user` reads in `operand`, in the block
/// of `user`; null if there is none.
ContractOp findProducer(ContractOp user, Value operand);

/// Does only `user` read what `op` computes?
bool isUsedByOnly(ContractOp op, ContractOp user);

/// Does `op` write to a buffer that it reads by other operands, too?
bool updatesInPlace(ContractOp op);

/// Why `first` cannot be computed where `second` is, by an op of these arrays:
/// buffers that it needs are written. Nothing when it can.
std::optional<std::string> explainMemory(ContractOp first, ContractOp second,
                                         const ContractArrays &fused);

//===----------------------------------------------------------------------===//
// FuseRules.cpp: what may be fused
//===----------------------------------------------------------------------===//

/// Does `op` compute each element of its one result from elements at one point,
/// all of the result? Those may include the old element.
bool isPointwise(ContractOp op);

/// Is `op` pointwise, apart from old elements?
bool isElementwise(ContractOp op);

/// Does `op` write every element of result `o`, each at a point of its own?
bool coversResult(ContractOp op, unsigned o);

/// Does `op` give each element of result `o` a new value, whatever the old ones
/// are?
bool replacesResult(ContractOp op, unsigned o);

/// Does nobody need what `producer` computes once it is part of `op`?
bool isForgotten(ContractOp producer, ContractOp op);

/// Why reader `i` of `op`, an input or else a side, should not compute what
/// `producer` computes by itself; nothing when it should.
std::optional<std::string> explainProducer(ContractOp op, unsigned i,
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

//===----------------------------------------------------------------------===//
// FuseRewrites.cpp
//===----------------------------------------------------------------------===//

/// What `op` reads and writes with the computation of `producer` in place of
/// reader `i`.
ContractArrays getProducerArrays(ContractOp op, unsigned i,
                                 ContractOp producer);

/// `op` with the computation of the element-wise `producer` in place of operand
/// `i`, in the map or, for a side, in the epilogue. `op` is left without
/// regions, for the caller to erase.
ContractOp fuseProducer(RewriterBase &rewriter, ContractOp op, unsigned i,
                        ContractOp producer);

/// `op`, which adds to old results and may regroup, as one that overwrites
/// them: they are its last sides. `op` is left without regions.
ContractOp readOldAsSides(RewriterBase &rewriter, ContractOp op);

/// What `contract` reads and writes with `consumer` as its epilogue.
ContractArrays getConsumerArrays(ContractOp contract, ContractOp consumer);

/// `contract` with the pointwise `consumer` as its epilogue.
ContractOp fuseConsumer(RewriterBase &rewriter, ContractOp contract,
                        ContractOp consumer);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_GRAPH_FUSE_H
