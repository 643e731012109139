//===- GridBlock.cpp - The dimensions onto grid and block -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Paper section 6.1, the last of a mapping: the innermost dimensions, as many
// as the argument says, are the block, the others the grid, at most three each;
// the last of either is its x axis. The hardware knows no step or width, so
// those that are left are masked.
//
//===----------------------------------------------------------------------===//

#include "MaskRules.h"

namespace mlir::tc {
namespace {

struct GridBlockRules final : MaskRules {
  llvm::StringRef name() const override { return "grid_block"; }

  llvm::Error checkArguments(Arguments arguments) const override {
    if (llvm::Error failed = expectOneArgument(arguments, 0))
      return failed;
    if (arguments[0] > 3)
      return error("expected at most 3 block dimensions in grid_block, got " +
                   llvm::Twine(arguments[0]));
    return llvm::Error::success();
  }

  llvm::Error check(Arguments arguments,
                    const IndexSpace &domain) const override {
    if (llvm::Error failed = expectRank(domain, arguments[0]))
      return failed;
    if (domain.rank() - arguments[0] > 3)
      return error("expected at most 3 grid dimensions in grid_block, got " +
                   llvm::Twine(domain.rank() - arguments[0]));
    return expectZeroBased(domain);
  }
};

} // namespace

const CombinatorRules &gridBlockRules() {
  static const GridBlockRules rules;
  return rules;
}

} // namespace mlir::tc
