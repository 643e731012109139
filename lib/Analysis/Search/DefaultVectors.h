//===- DefaultVectors.h - Vectors and stages without a search ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_DEFAULTVECTORS_H
#define TC_LIB_ANALYSIS_SEARCH_DEFAULTVECTORS_H

#include "tc/Analysis/Access.h"

namespace mlir::tc {

/// Legal `schedules` with the same tiles, where neighbours that a thread has
/// anyway go together, and copies run one step ahead: as much of this as is
/// legal. `lead` is the one whose registers are given to vectors.
SmallVector<ScheduleAttr> addVectorsAndStages(ArrayRef<ContractOp> ops,
                                              ArrayRef<ContractAccess> accesses,
                                              ArrayRef<ScheduleAttr> schedules,
                                              size_t lead, MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_DEFAULTVECTORS_H
