//===- BlockRows.h - Rows that fit a block ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is better where a block runs a row, if the row is small: what it keeps
// in a buffer of all rows lies in shared memory, and its nests have an
// iteration for each thread at most.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_FLATTENING_BLOCKROWS_H
#define TC_LIB_TRANSFORMS_FLATTENING_BLOCKROWS_H

#include "Flattening/OwnBuffers.h"

#include "tc/IR/IndexBuilder.h"

namespace mlir::tc {

/// The buffers of rows that blocks may have in shared memory.
class BlockBuffers {
public:
  explicit BlockBuffers(ParOp rows);

  bool empty() const { return buffers.empty(); }
  /// Emits whether a block has room for them.
  Value emitFit(IndexBuilder &math) const;
  /// Gives each row of `rows`, the nest or a copy of it, buffers of its own.
  void moveInto(ParOp rows) const;

private:
  SmallVector<OwnBuffer> buffers;
  /// Elements of a buffer along dimensions of dynamic size, at most.
  int64_t capacity = 0;
};

/// Emits whether each nest of a row has at most an iteration for each thread;
/// null where that is of no use: it saves a loop of turns, which costs
/// something where a row is itself a loop of nests.
Value emitIsOneTurn(ParOp rows, IndexBuilder &math);
/// Writes it into the bounds of the nests of `rows`, a copy for which it holds.
void limitToOneTurn(ParOp rows);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_FLATTENING_BLOCKROWS_H
