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

/// Writes one object, whose names are those of counted launches where both have
/// the number.
void writeCost(llvm::json::OStream &json, const KernelCost &cost);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_REPORT_REPORTCOST_H
