//===- Lifetimes.h - Values that would lose their place ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements may share a place in memory if none is written between a write of
// another one and a read of that. Integer systems decide it (IntegerSystem.h),
// over three accesses and the order of their iterations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_LIFETIMES_H
#define TC_ANALYSIS_LIFETIMES_H

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// A buffer, and where its elements are to lie.
struct StoredBuffer {
  Value buffer;
  AffineMap place; ///< of the subscripts, in memory that buffers share
  bool hasInitial; ///< are there values before the first write?
  bool hasFinal;   ///< are the values at the end needed?
};

/// A value that is lost if elements share places.
struct Overwrite {
  std::optional<NestAccess> write; ///< none if it is there from the beginning
  NestAccess overwrite;            ///< of another element in its place
  std::optional<NestAccess> read;  ///< none if it is needed at the end
  /// The indices of the three iterations. All empty where no such iterations
  /// are known, but cannot be excluded either.
  SmallVector<int64_t> written, overwritten, needed;
  bool isProven = false;
  /// Are the two writes in no order, whoever reads?
  bool isRace = false;
};

/// Looks for a value that is lost where `buffers`, visible in `scope`, are
/// stored so. Iterations of a tc.par may run in any order, and those of a
/// tc.seq follow one another.
std::optional<Overwrite>
findOverwrite(Block *scope, ArrayRef<StoredBuffer> buffers, NestValues &values);

} // namespace mlir::tc

#endif // TC_ANALYSIS_LIFETIMES_H
