//===- MaskGrid.cpp - Steps and widths to a guard -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the original SaC back end does with an if statement (paper section 5.3).
// compress_grid starts no idle threads, but recovering the index costs more.
//
//===----------------------------------------------------------------------===//

#include "MaskRules.h"

namespace mlir::tc {
namespace {

struct MaskGridRules final : MaskRules {
  llvm::StringRef name() const override { return "mask_grid"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    return expectNoArguments(arguments);
  }

  llvm::Error check(Arguments, const IndexSpace &) const override {
    return llvm::Error::success();
  }
};

} // namespace

const CombinatorRules &maskGridRules() {
  static const MaskGridRules rules;
  return rules;
}

} // namespace mlir::tc
