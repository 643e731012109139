//===- Unrolling.h - How far contracted loops are unrolled ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whoever decides it, and whoever predicts what the loops cost, have one rule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_UNROLLING_H
#define TC_ANALYSIS_UNROLLING_H

#include "tc/Analysis/TilePlan.h"

namespace mlir::tc {

/// Elements of a vector along a contracted iterator that a thread takes one
/// after the other, written out, since one load brings them all.
inline constexpr int64_t kMostUnrolledElements = 4;

/// How often each of some nested loops, the outermost first, is unrolled, where
/// the innermost body has so many `instructions`: the innermost loop as far as
/// its body stays small, and others around those that are unrolled whole. A
/// thread holds so many `accumulators` meanwhile, of 32 bits each.
SmallVector<int64_t> getUnrollCounts(int64_t instructions,
                                     ArrayRef<int64_t> extents,
                                     int64_t accumulators);

/// Terms of a step that there are registers for, written out with such tensor
/// instructions.
int64_t getMostTerms(const MmaFold &fold);

/// Of a plan with a tensor instruction, the elements along each of the
/// contracted iterators `sums` that are written out: of as many terms as there
/// are registers for, if they can be divided so. Loops go over the others. 1
/// for iterators that are not contracted.
PerIterator getWrittenTerms(const TilePlan &plan, ArrayRef<unsigned> sums);

/// `schedule` with what it says of unrolling, or else with what the rule says
/// for whole steps.
ScheduleAttr completeUnrolling(ContractOp op, ScheduleAttr schedule);

/// What is wrong with the loops that `schedule` unrolls: one has fewer
/// iterations, or a vector or a tensor instruction is cut.
std::optional<std::string> findUnrollProblem(ContractOp op,
                                             ScheduleAttr schedule);

} // namespace mlir::tc

#endif // TC_ANALYSIS_UNROLLING_H
