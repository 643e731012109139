//===- NarrowVersions.h - Matrices of few rows or columns -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Narrow extents] in NarrowVersions.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_VERSIONS_NARROWVERSIONS_H
#define TC_LIB_ANALYSIS_VERSIONS_NARROWVERSIONS_H

#include "tc/Analysis/ScheduleSearch.h"

namespace mlir::tc {

/// Versions for where one of several dynamic result extents of `op` is small;
/// none where `choice` is as good. `judged` says what is legal.
SmallVector<VersionAttr> searchNarrowVersions(ContractOp op,
                                              const StrideTable &judged,
                                              const ScheduleChoice &choice,
                                              MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_VERSIONS_NARROWVERSIONS_H
