//===- LmadComposeFlat.cpp - The LMAD of a flat position in an LMAD -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one composition that may leave the algebra: the inner LMAD gives
// row-major positions in the box of the outer one. See Note [No carry].
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/LmadViews.h"

#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::tc {

/// The digits of `value` in the mixed radix of `sizes`, which are positive;
/// the first digit is not bounded and takes the sign of `value`.
static SmallVector<int64_t> digitsOf(int64_t value, ArrayRef<int64_t> sizes) {
  SmallVector<int64_t> digits(sizes.size());
  for (unsigned k = sizes.size(); k-- > 1;) {
    digits[k] = llvm::mod(value, sizes[k]);
    value = llvm::divideFloorSigned(value, sizes[k]);
  }
  digits[0] = value;
  return digits;
}

/// The digits of a stride: those of its magnitude, all with its sign.
static SmallVector<int64_t> strideDigits(int64_t stride,
                                         ArrayRef<int64_t> sizes) {
  if (stride >= 0)
    return digitsOf(stride, sizes);
  SmallVector<int64_t> digits = digitsOf(-stride, sizes);
  for (int64_t &digit : digits)
    digit = -digit;
  return digits;
}

/// What one digit of the position can be over the box of the inner LMAD.
struct DigitRange {
  int64_t min, max;

  /// Adds 0 to `last` steps of `step`; false on overflow.
  bool extend(int64_t step, int64_t last) {
    std::optional<int64_t> travel = llvm::checkedMul(step, last);
    if (!travel)
      return false;
    int64_t &end = *travel < 0 ? min : max;
    std::optional<int64_t> moved = llvm::checkedAdd(end, *travel);
    if (moved)
      end = *moved;
    return moved.has_value();
  }
};

/// `sum of digits[k] * strides[k]` as an expression.
static AffineExpr dot(ArrayRef<int64_t> digits, const Lmad &outer) {
  AffineExpr sum = getAffineConstantExpr(0, outer.getContext());
  for (auto [digit, dim] : llvm::zip_equal(digits, outer.dimensions()))
    sum = sum + dim.stride * digit;
  return sum;
}

/// The composition by digits, for an outer LMAD of constant, positive sizes.
static std::optional<Lmad> composeDigits(const Lmad &outer, const Lmad &inner,
                                         ArrayRef<int64_t> sizes) {
  std::optional<int64_t> offset = inner.staticOffset();
  std::optional<SmallVector<int64_t>> counts = inner.staticSizes();
  std::optional<SmallVector<int64_t>> steps = inner.staticStrides();
  if (!offset || !counts || !steps || *offset == INT64_MIN)
    return std::nullopt;
  SmallVector<int64_t> start = digitsOf(*offset, sizes);
  SmallVector<DigitRange> ranges;
  for (int64_t digit : start)
    ranges.push_back({digit, digit});
  SmallVector<LmadDim, 4> dims;
  for (unsigned i = 0; i < inner.rank(); ++i) {
    if ((*steps)[i] == INT64_MIN)
      return std::nullopt;
    SmallVector<int64_t> digits = strideDigits((*steps)[i], sizes);
    for (unsigned k = 1; k < sizes.size(); ++k)
      if (!ranges[k].extend(digits[k], std::max<int64_t>((*counts)[i] - 1, 0)))
        return std::nullopt;
    dims.push_back({inner.size(i), dot(digits, outer)});
  }
  for (unsigned k = 1; k < sizes.size(); ++k)
    if (ranges[k].min < 0 || ranges[k].max >= sizes[k])
      return std::nullopt;
  return Lmad(outer.offset() + dot(start, outer), dims);
}

std::optional<Lmad> composeFlat(const Lmad &outer, const Lmad &inner) {
  Lmad base = mergeAdjacent(outer);
  if (base.rank() <= 1) {
    // One dimension is linear in the position, whatever the position is.
    AffineExpr stride = base.rank() == 1
                            ? base.stride(0)
                            : getAffineConstantExpr(0, outer.getContext());
    SmallVector<LmadDim, 4> dims;
    for (const LmadDim &dim : inner.dimensions())
      dims.push_back({dim.size, dim.stride * stride});
    return Lmad(base.offset() + inner.offset() * stride, dims);
  }
  std::optional<SmallVector<int64_t>> sizes = base.staticSizes();
  if (!sizes || llvm::is_contained(*sizes, 0))
    return std::nullopt;
  return composeDigits(base, inner, *sizes);
}

// Note [No carry]
// ~~~~~~~~~~~~~~~
// A row-major position is a number in the mixed radix of the outer sizes, and
// the outer LMAD is linear in its digits, not in the number. The composition is
// linear when adding the multiples of the inner strides never carries from one
// digit to the next: then each digit is a sum of digits. The ranges of the
// digits over the whole box decide that. The first digit has nothing to carry
// into and is not bounded.

} // namespace mlir::tc
