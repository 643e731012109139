//===- MmaLegality.h - Which schedules a tensor instruction takes *- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SCHEDULE_MMALEGALITY_H
#define TC_LIB_ANALYSIS_SCHEDULE_MMALEGALITY_H

#include "tc/Analysis/Access.h"

#include <optional>
#include <string>

namespace mlir::tc {

/// Why `shape` cannot compute `op` on `machine`, whatever the schedule; nothing
/// if it can.
std::optional<std::string> findInstructionProblem(ContractOp op,
                                                  const MmaShape &shape,
                                                  MachineAttr machine);

/// Why the unit of `schedule`, if it has one, cannot compute `op` on `machine`;
/// nothing if it can.
std::optional<std::string> findMmaProblem(ContractOp op,
                                          const StrideTable &access,
                                          ScheduleAttr schedule,
                                          MachineAttr machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SCHEDULE_MMALEGALITY_H
