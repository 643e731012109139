//===- Report.h - Reports as JSON, text and HTML ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the tools report, in each form, and the schemas of the JSON.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_REPORT_H
#define TC_RUNNER_REPORT_H

#include "tc/Runner/Count.h"
#include "tc/Runner/Run.h"

namespace mlir::tc {

/// One JSON object about a compilation; `result` adds what a run has.
std::string formatJson(const Program &program, const Compilation &compilation,
                       const RunResult *result, bool pretty);

/// One JSON object about a compilation and what its launches count.
std::string formatJson(const Program &program, const CountResult &result,
                       bool pretty);

/// The JSON Schemas of these.
std::string formatCompileSchema();
std::string formatRunSchema();
std::string formatCountSchema();

/// A page of HTML that needs no other file, about a compilation with
/// CompileOptions::wantsPage; `result` adds the verdict of a run.
std::string formatHtml(const Program &program, const Compilation &compilation,
                       const RunResult *result);

/// The same with what its launches count.
std::string formatHtml(const Program &program, const CountResult &result);

/// A few lines of text about a run.
std::string formatText(const Program &program, const RunResult &result);

/// What the launches count, and their counted times; with `hasSites`, terms of
/// these and counts by line of PTX, too.
std::string formatText(const Program &program, const CountResult &result,
                       bool hasSites = false);

} // namespace mlir::tc

#endif // TC_RUNNER_REPORT_H
