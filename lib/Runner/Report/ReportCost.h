//===- ReportCost.h - A predicted cost as JSON ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_REPORT_REPORTCOST_H
#define TC_LIB_RUNNER_REPORT_REPORTCOST_H

#include "tc/Analysis/CostModel.h"

#include "llvm/Support/JSON.h"

namespace mlir::tc {

/// Its members by the names of counted launches, where both have the number.
llvm::json::Object toJson(const KernelCost &cost);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_REPORT_REPORTCOST_H
