//===- Threshold.cpp - tc.threshold ---------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isLimitName(StringRef name) {
  return llvm::all_of(llvm::split(name, '.'), [](StringRef word) {
    return !word.empty() && llvm::all_of(word, llvm::isAlnum);
  });
}

LogicalResult ThresholdOp::verify() {
  if (!isLimitName(getLimit())) // threshold_name
    return emitOpError("expected a name of words of letters and digits with a "
                       "'.' between, got '")
           << getLimit() << "'";
  int64_t limit = getDefaultLimit();
  if (limit < 0) // threshold_default
    return emitOpError("expected a default of at least 0, got ") << limit;
  return success();
}
