//===- IndexSpace.cpp - Index spaces: lower, upper, step, width -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value and its membership conditions.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/IndexSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::tc {

IndexSpace IndexSpace::dense(MLIRContext *context,
                             ArrayRef<AffineExpr> extents) {
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr one = getAffineConstantExpr(1, context);
  SmallVector<IndexRange, 4> ranges;
  for (AffineExpr extent : extents)
    ranges.push_back({zero, extent, one, one});
  return IndexSpace(context, ranges);
}

IndexSpace IndexSpace::dense(MLIRContext *context, ArrayRef<int64_t> extents) {
  return dense(context, getAffineConstantExprs(extents, context));
}

IndexSpace IndexSpace::get(MLIRContext *context, ArrayRef<int64_t> lower,
                           ArrayRef<int64_t> upper, ArrayRef<int64_t> step,
                           ArrayRef<int64_t> width) {
  auto expr = [&](int64_t value) {
    return getAffineConstantExpr(value, context);
  };
  SmallVector<IndexRange, 4> ranges;
  for (auto [l, u, t, w] : llvm::zip_equal(lower, upper, step, width))
    ranges.push_back({expr(l), expr(u), expr(t), expr(w)});
  return IndexSpace(context, ranges);
}

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

SmallVector<AffineExpr>
IndexSpace::membership(ArrayRef<AffineExpr> index) const {
  SmallVector<AffineExpr> conditions;
  auto require = [&](AffineExpr condition) {
    std::optional<int64_t> value = staticValue(condition);
    if (!value || *value < 0)
      conditions.push_back(condition);
  };
  for (auto [i, range] : llvm::zip_equal(index, dims)) {
    require(i - range.lower);
    require(range.upper - 1 - i);
    if (!range.isDense())
      require(range.width - 1 - (i - range.lower) % range.step);
  }
  return conditions;
}

void IndexSpace::print(llvm::raw_ostream &os) const {
  auto list = [&](AffineExpr IndexRange::*part) {
    os << '(';
    llvm::interleaveComma(dims, os,
                          [&](const IndexRange &range) { os << range.*part; });
    os << ')';
  };
  auto allOnes = [&](AffineExpr IndexRange::*part) {
    return llvm::all_of(dims, [&](const IndexRange &range) {
      return staticValue(range.*part) == 1;
    });
  };
  list(&IndexRange::lower);
  os << " to ";
  list(&IndexRange::upper);
  if (!allOnes(&IndexRange::step)) {
    os << " step ";
    list(&IndexRange::step);
  }
  if (!allOnes(&IndexRange::width)) {
    os << " width ";
    list(&IndexRange::width);
  }
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const IndexSpace &space) {
  space.print(os);
  return os;
}

} // namespace mlir::tc
