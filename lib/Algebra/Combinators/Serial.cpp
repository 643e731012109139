//===- Serial.cpp - Dimensions that a thread runs in turn -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last of a mapping: the outermost dimensions, as many as the argument
// says, are loops of each thread, the others its axes: where there are T
// threads for N iterations, each has a sequential factor of ceil(N / T). Steps
// and widths that are left are masked.
//
//===----------------------------------------------------------------------===//

#include "MaskRules.h"

namespace mlir::tc {
namespace {

struct SerialRules final : MaskRules {
  llvm::StringRef name() const override { return "serial"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    return expectOneArgument(arguments, 0);
  }

  llvm::Error check(Arguments arguments,
                    const IndexSpace &domain) const override {
    if (llvm::Error failed = expectRank(domain, arguments[0]))
      return failed;
    return expectZeroBased(domain);
  }
};

} // namespace

const CombinatorRules &serialRules() {
  static const SerialRules rules;
  return rules;
}

} // namespace mlir::tc
