//===- VersionSearch.h - Schedules for dynamic extents ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Versions] in VersionSearch.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_VERSIONS_VERSIONSEARCH_H
#define TC_LIB_ANALYSIS_VERSIONS_VERSIONSEARCH_H

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// Points of a contraction that keep a GPU busy. One of fewer takes little more
/// than a launch, whatever its schedule.
inline constexpr double kManyPoints = 1 << 30;

/// What dynamic extents of `op` are taken to be, so that it has at most so many
/// points: a power of two or one and a half of it, the same for each.
int64_t getNominalExtent(ContractOp op, double points);

/// What dynamic extents of `op` are taken to be where one plan serves all: as
/// in a problem that keeps a GPU busy, or like the static extents where some
/// are.
int64_t getCostedExtent(ContractOp op);

/// Midway between the results of two sizes.
int64_t getBound(double results, double next);

/// Are all extents of results static?
bool hasStaticResults(ContractOp op);

/// The schedules to have of a normal contraction with dynamic result extents;
/// none where the search finds none that is legal. Fails, with a report, as
/// getStrideTable.
FailureOr<ScheduleChoice> searchVersions(ContractOp op, MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_VERSIONS_VERSIONSEARCH_H
