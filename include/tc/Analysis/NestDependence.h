//===- NestDependence.h - Do accesses of threads meet -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_NESTDEPENDENCE_H
#define TC_ANALYSIS_NESTDEPENDENCE_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// Who runs an access: the coordinates of a thread in its team, over the values
/// of the program; none when any thread may.
using ThreadNumber = std::optional<SmallVector<AffineExpr, 3>>;

/// An access and who runs it.
struct ThreadAccess {
  NestAccess access;
  ThreadNumber thread;
  /// The op among those of the team that it is in: a tc.par, or itself.
  Operation *teamOp;
};

/// The coordinates, among the threads of the team whose op `outermost` is, of
/// the one that runs `op`, which is `outermost` or inside of it. None without a
/// mapping, and where several threads run `op`.
ThreadNumber getThreadNumber(Operation *op, ParOp outermost,
                             NestValues &values);

/// May `first` and `second`, of which one writes, reach one element in
/// different threads? `carriers` are the loops of which `second` is in a later
/// iteration. True unless proven otherwise.
bool mayCrossThreads(const ThreadAccess &first, const ThreadAccess &second,
                     ArrayRef<Operation *> carriers, NestValues &values);

/// Two iterations of one tc.par, by their indices.
struct IterationPair {
  SmallVector<int64_t> first, second;
};

/// Different iterations of `par` that reach one element by these accesses
/// inside of it; none unless proven for every run of the program.
std::optional<IterationPair> findMeeting(ParOp par, const NestAccess &first,
                                         const NestAccess &second,
                                         NestValues &values);

} // namespace mlir::tc

#endif // TC_ANALYSIS_NESTDEPENDENCE_H
