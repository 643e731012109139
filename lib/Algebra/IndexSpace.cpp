//===- IndexSpace.cpp - Index spaces: lower, upper, step, width -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value: its rules and its extents.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/IndexSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"

namespace mlir::tc {

llvm::Error IndexSpace::verify() const {
  auto error = [](unsigned i, const llvm::Twine &what) {
    return llvm::createStringError("expected " + what + " in dimension " +
                                   llvm::Twine(i));
  };
  for (auto [i, range] : llvm::enumerate(dims)) {
    for (AffineExpr expr : {range.lower, range.upper, range.step, range.width})
      if (!expr || !expr.isSymbolicOrConstant())
        return error(i, "bounds over constants and symbols");
    std::optional<int64_t> step = staticValue(range.step);
    std::optional<int64_t> width = staticValue(range.width);
    if (step && *step < 1)
      return error(i, "a step of at least 1, got " + llvm::Twine(*step));
    if (width && *width < 1)
      return error(i, "a width of at least 1, got " + llvm::Twine(*width));
    if (step && width && *width > *step)
      return error(i, "a width of at most the step " + llvm::Twine(*step) +
                          ", got " + llvm::Twine(*width));
  }
  return llvm::Error::success();
}

SmallVector<AffineExpr> IndexSpace::extents() const {
  return llvm::map_to_vector(
      dims, [](const IndexRange &range) { return range.extent(); });
}

std::optional<SmallVector<int64_t>> IndexSpace::staticExtents() const {
  return staticValues(extents());
}

bool IndexSpace::isZeroBased() const {
  return llvm::all_of(
      dims, [](const IndexRange &range) { return range.isZeroBased(); });
}

bool IndexSpace::isDense() const {
  return llvm::all_of(dims,
                      [](const IndexRange &range) { return range.isDense(); });
}

} // namespace mlir::tc
