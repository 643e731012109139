//===- Split.h - The contracted space divided over blocks -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `split` of a #tc.schedule means: how long the parts of an iterator are,
// and what is left over for the kernel that combines them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_SPLIT_H
#define TC_ANALYSIS_SPLIT_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// Is any iterator divided into parts?
bool isSplit(ScheduleAttr schedule);

/// The length of a part, and of what is left over. Both are kDynamic where the
/// extent is dynamic.
struct PartExtents {
  int64_t part, rest;
};

/// An extent in `parts`: all of it where they divide it, else as many whole
/// steps as each can have.
PartExtents getPartExtents(int64_t extent, int64_t parts, int64_t step);

/// The accesses of a contraction of one part: `access` with shorter extents.
StrideTable getPartAccess(ContractOp op, const StrideTable &access,
                          ScheduleAttr schedule);

/// Results that the parts of a version have together, fewer than: 32 bits hold
/// their positions, with tiles that stick out.
inline constexpr int64_t kMostPartResults = int64_t(1) << 30;

/// Nothing where a version may split a sum so, else what was expected and what
/// was found.
std::optional<std::string> findVersionSplitProblem(ContractOp op,
                                                   VersionAttr version);

/// `access` as a version with `schedule` sees it: what it splits may be static,
/// and its parts have lengths that are not known.
StrideTable getVersionAccess(ContractOp op, StrideTable access,
                             ScheduleAttr schedule);

/// Nothing where the parts give the right result, else what was expected and
/// what was found.
std::optional<std::string> findSplitProblem(ContractOp op,
                                            const StrideTable &access,
                                            ScheduleAttr schedule);

} // namespace mlir::tc

#endif // TC_ANALYSIS_SPLIT_H
