//===- uses-tc.td - Another project's op with attributes of tc ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

include "tc/IR/TCOps.td"

def Other_Dialect : Dialect {
  let name = "other";
  let cppNamespace = "::other";
}

def Other_PlanOp : Op<Other_Dialect, "plan"> {
  let summary = "A plan for a contraction";
  let arguments = (ins TC_ScheduleAttr:$schedule, TC_MachineAttr:$machine);
}
