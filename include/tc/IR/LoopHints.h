//===- LoopHints.h - What LLVM is told of loops -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_IR_LOOPHINTS_H
#define TC_IR_LOOPHINTS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::tc {

/// Copies that a thread has in flight, written out in a loop that makes more.
/// Of more, the addresses cost more registers than the tile leaves, and ptxas
/// spills.
inline constexpr int64_t kCopiesInFlight = 4;

/// Partial results that one thread combines in a round. A round costs about a
/// barrier and the latency of shared memory; reads of one round overlap.
inline constexpr int64_t kGathered = 8;

/// Tells LLVM to unroll `loop` by `count`, and no further.
void setUnrollCount(scf::ForOp loop, int64_t count);

/// Tells LLVM not to unroll `loop`, so that it is there to be made vectors of.
void setWhole(scf::ForOp loop);

/// Tells LLVM to leave `loop` as scalar code.
void setScalar(scf::ForOp loop);

} // namespace mlir::tc

#endif // TC_IR_LOOPHINTS_H
