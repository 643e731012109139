//===- Verify.h - What a run computed against the reference -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNNER_RUN_VERIFY_H
#define TC_LIB_RUNNER_RUN_VERIFY_H

#include "Run/HostArray.h"

#include "tc/Reference/Reference.h"
#include "tc/Runner/Run.h"

namespace mlir::tc {

/// One result of a run.
struct Output {
  std::string name; ///< result0, ...
  const NumpyArray &got;
  const Array &expected;
  /// What lay there before the run, where the program is not to read it.
  const NumpyArray *before = nullptr;
};

/// Fills the memory of a result with what no kernel leaves there: NaN, and
/// whatever else `expected`, if it is known, is not. Of integers all bits are
/// others.
void fillUnwritten(NumpyArray &array, const Array *expected);

/// Compares `output` with the reference and adds what was found to `outcome`.
/// It is not judged where the way of the program is `undecided` (not empty), or
/// where rounding may change more than there is. Results of which `allowed` has
/// the name need not be judged.
void verify(const Output &output, llvm::StringRef undecided,
            llvm::ArrayRef<std::string> allowed, Outcome &outcome);

} // namespace mlir::tc

#endif // TC_LIB_RUNNER_RUN_VERIFY_H
