//===- Rules.h - Rules that several verifiers share -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each reports at `op`. A region is called by its `name` and has one block.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_IR_RULES_H
#define TC_LIB_IR_RULES_H

#include "tc/IR/TC.h"

namespace mlir::tc {

/// Does `schedule` speak of the iterators of `op`?
LogicalResult verifySchedule(ContractOp op, ScheduleAttr schedule);
LogicalResult verifyVersion(ContractOp op, VersionAttr version);

/// Does the region end in tc.yield?
LogicalResult verifyYield(Operation *op, StringRef name, Region &region);

/// Has a region that ends in tc.yield arguments of these types, and yields it
/// these?
LogicalResult verifyTypes(Operation *op, StringRef name, Region &region,
                          TypeRange arguments, TypeRange yielded);

/// Does `op`, whose index space is right, fit the arrays of its tc.with?
LogicalResult verifyPartition(PartitionOp op);

/// Has the region no effects?
LogicalResult verifyNoEffects(Operation *op, StringRef name, Region &region);

} // namespace mlir::tc

#endif // TC_LIB_IR_RULES_H
