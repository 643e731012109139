//===- Batch.h - Many runs in one process -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a list of problems one after the other; a run of a small problem takes
// less than starting a process.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNNER_BATCH_H
#define TC_RUNNER_BATCH_H

#include "tc/Runner/Run.h"

#include <iosfwd>

namespace mlir::tc {

/// Runs each of `lines` as it comes, a JSON object whose members (all optional)
/// are `case` (a name), `input`, `einsum`, `sizes` (text, or an object of
/// extents), `operands` (text, or JSON as it is), `dtype`, `accumulate`,
/// `precision`, `run`, `name`, `chip`, `schedule`, `seed`, and the arrays of
/// paths `inputs` and `outputs`; what a line leaves out is as in `input` and
/// `options`. Writes to `out` one line of JSON per case: the report, or the
/// problem and an `error`, with `case` first. Returns how many failed: by an
/// error, or a wrong result.
unsigned runBatch(std::istream &lines, const InputOptions &input,
                  const RunOptions &options, llvm::raw_ostream &out);

/// The JSON Schemas of a line, and of the answer to one.
std::string formatBatchSchema();
std::string formatAnswerSchema();

} // namespace mlir::tc

#endif // TC_RUNNER_BATCH_H
