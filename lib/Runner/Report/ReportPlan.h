//===- ReportPlan.h - A launch plan as JSON ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_REPORT_REPORTPLAN_H
#define TC_LIB_RUNNER_REPORT_REPORTPLAN_H

#include "tc/Runner/Compile.h"

#include "llvm/Support/JSON.h"

namespace mlir::tc {

/// Writes the attribute `plan`: null where the compilation has none, or where
/// extents of a grid or of an argument are known at run time only.
void writePlan(llvm::json::OStream &json, const Compilation &compilation);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_REPORT_REPORTPLAN_H
