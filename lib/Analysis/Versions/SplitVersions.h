//===- SplitVersions.h - Long sums of dynamic extents -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Long sums] in SplitVersions.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_VERSIONS_SPLITVERSIONS_H
#define TC_LIB_ANALYSIS_VERSIONS_SPLITVERSIONS_H

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// Versions that split the sum of `op`, for few results of many terms; none
/// where terms may not be grouped, or `whole` is as good. `judged` says what is
/// legal.
SmallVector<VersionAttr> searchSplitVersions(ContractOp op,
                                             const StrideTable &judged,
                                             const ScheduleChoice &whole,
                                             MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_VERSIONS_SPLITVERSIONS_H
