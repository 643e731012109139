//===- Lmad.cpp - Linear memory access descriptors ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Composition with an affine map, injectivity and footprints.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Lmad.h"

#include "tc/Algebra/Exprs.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cassert>
#include <cstdlib>

namespace mlir::tc {

Lmad::Lmad(int64_t offset, ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides)
    : offset(offset), sizes(sizes), strides(strides) {
  assert(sizes.size() == strides.size() && "one stride a size");
}

/// Adds `factor * stride` to `sum`; false on overflow.
static bool addScaled(int64_t &sum, int64_t factor, int64_t stride) {
  std::optional<int64_t> total = llvm::checkedMulAdd(factor, stride, sum);
  sum = total.value_or(sum);
  return total.has_value();
}

std::optional<Lmad> compose(const Lmad &layout, AffineMap map,
                            ArrayRef<int64_t> sizes) {
  assert(map.getNumDims() == sizes.size() && "one size an iterator");
  Lmad result(layout.offset, sizes, SmallVector<int64_t>(sizes.size(), 0));
  for (auto [subscript, stride] :
       llvm::zip_equal(map.getResults(), layout.strides)) {
    std::optional<LinearForm> form = linearForm(subscript, sizes.size());
    std::optional<int64_t> constant =
        form ? staticValue(form->constant) : std::nullopt;
    if (!constant || !addScaled(result.offset, *constant, stride))
      return std::nullopt;
    for (auto [sum, factor] : llvm::zip_equal(result.strides, form->factors))
      if (!addScaled(sum, factor, stride))
        return std::nullopt;
  }
  return result;
}

bool isEmpty(const Lmad &lmad) { return llvm::is_contained(lmad.sizes, 0); }

bool isInjective(const Lmad &lmad) {
  if (isEmpty(lmad))
    return true;
  SmallVector<std::pair<int64_t, int64_t>> dims; // magnitude of stride, size
  for (auto [size, stride] : llvm::zip_equal(lmad.sizes, lmad.strides)) {
    if (size == 1)
      continue;
    if (stride == INT64_MIN)
      return false;
    dims.push_back({std::abs(stride), size});
  }
  llvm::sort(dims);
  // Each stride must step over all that the smaller ones span together.
  int64_t span = 0;
  for (auto [stride, size] : dims) {
    if (stride <= span)
      return false;
    std::optional<int64_t> next = llvm::checkedMulAdd(stride, size - 1, span);
    if (!next)
      return false;
    span = *next;
  }
  return true;
}

std::optional<Footprint> footprint(const Lmad &lmad) {
  if (isEmpty(lmad))
    return std::nullopt;
  Footprint result{lmad.offset, lmad.offset};
  for (auto [size, stride] : llvm::zip_equal(lmad.sizes, lmad.strides)) {
    int64_t &end = stride < 0 ? result.min : result.max;
    std::optional<int64_t> moved = llvm::checkedMulAdd(size - 1, stride, end);
    if (!moved)
      return std::nullopt;
    end = *moved;
  }
  return result;
}

std::optional<Footprint> findRange(AffineExpr expr, ArrayRef<int64_t> sizes) {
  std::optional<LinearForm> form = linearForm(expr, sizes.size());
  std::optional<int64_t> constant =
      form ? staticValue(form->constant) : std::nullopt;
  if (!constant)
    return std::nullopt;
  return footprint(Lmad(*constant, sizes, form->factors));
}

} // namespace mlir::tc
