//===- HostSearch.h - The schedule of a contraction on a CPU ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_HOST_HOSTSEARCH_H
#define TC_LIB_TRANSFORMS_HOST_HOSTSEARCH_H

#include "Host/HostPlan.h"

namespace mlir::tc {

/// The vector unit of a CPU.
struct HostVectors {
  int64_t bits, registers;
  HostDots dots;
};

/// The schedule of `op`, of which `table` is; null where loops over its
/// iterators do as well, or it is no sum of products of two numbers.
HostScheduleAttr chooseHostSchedule(ContractOp op, const StrideTable &table,
                                    HostVectors unit);

/// At most `count` schedules to try: the chosen one, and then those that differ
/// from it, least first. Empty where none is chosen.
SmallVector<HostScheduleAttr> listHostSchedules(ContractOp op,
                                                const StrideTable &table,
                                                HostVectors unit, size_t count);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_HOST_HOSTSEARCH_H
