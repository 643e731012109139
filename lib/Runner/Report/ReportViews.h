//===- ReportViews.h - What reports are made of -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of a compilation, alone and with a run or counts.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_REPORT_REPORTVIEWS_H
#define TC_LIB_RUNNER_REPORT_REPORTVIEWS_H

#include "tc/Runner/Report.h"
#include "tc/Schema/Structure.h"

namespace mlir::tc {

struct CompileView {
  CompileView(const Program &program, const Compilation &compilation);

  const Program &program;
  const Compilation &compilation;
  KernelReport worst; ///< the main kernel, with the worst of all
};

struct RunView {
  CompileView compiled;
  const RunResult &result;
};

struct CountView {
  CompileView compiled;
  const CountResult &result;
};

namespace schema {
template <>
const Structure<CompileView> &describe();
template <>
const Structure<RunView> &describe();
template <>
const Structure<CountView> &describe();
} // namespace schema

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_REPORT_REPORTVIEWS_H
