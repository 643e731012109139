//===- LmadDisjoint.cpp - Conservative disjointness of LMADs --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Three tests, each of which can prove that two LMADs share no point. None
// looks at a point; see Note [Difference of two LMADs].
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/LmadQueries.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

#include <cstdlib>
#include <functional>
#include <map>
#include <numeric>

namespace mlir::tc {

/// A set of integers `stride * [low, high]`, both ends included.
struct Band {
  int64_t low = 0, high = 0;
};

/// The bands of the sum, by positive stride, greatest first.
using Bands = std::map<int64_t, Band, std::greater<int64_t>>;

/// Adds `i * stride` for 0 <= i < size; false when a part is symbolic or
/// overflows. `negate` for the LMAD that is subtracted.
static bool addDim(Bands &bands, const LmadDim &dim, bool negate) {
  std::optional<int64_t> size = dim.staticSize(), stride = dim.staticStride();
  if (stride == 0 || size == 1)
    return true;
  if (!size || !stride || *stride == INT64_MIN)
    return false;
  Band &band = bands[std::abs(*stride)];
  bool down = (*stride < 0) != negate;
  std::optional<int64_t> end = down ? llvm::checkedSub(band.low, *size - 1)
                                    : llvm::checkedAdd(band.high, *size - 1);
  if (!end || *end == INT64_MIN)
    return false;
  (down ? band.low : band.high) = *end;
  return true;
}

/// The greatest magnitude of `stride * band`; none on overflow.
static std::optional<int64_t> reach(int64_t stride, const Band &band) {
  if (band.low < -INT64_MAX || band.high < -INT64_MAX)
    return std::nullopt;
  return llvm::checkedMul(stride,
                          std::max(std::abs(band.low), std::abs(band.high)));
}

/// True when `difference` plus the bands is never zero because all of it lies
/// on one side.
static bool excludedByInterval(int64_t difference, const Bands &bands) {
  int64_t low = difference, high = difference;
  for (const auto &[stride, band] : bands) {
    std::optional<int64_t> down = llvm::checkedMulAdd(stride, band.low, low);
    std::optional<int64_t> up = llvm::checkedMulAdd(stride, band.high, high);
    if (!down || !up)
      return false;
    low = *down;
    high = *up;
  }
  return low > 0 || high < 0;
}

/// True when `difference` plus the bands is never zero because some level
/// cannot be zero and no other level can make up for it.
static bool excludedByLevel(int64_t difference, Bands bands) {
  // Distribute the difference over the levels, greatest stride first.
  for (auto &[stride, band] : bands) {
    int64_t digit = llvm::divideFloorSigned(difference, stride);
    difference -= digit * stride;
    std::optional<int64_t> low = llvm::checkedAdd(band.low, digit);
    std::optional<int64_t> high = llvm::checkedAdd(band.high, digit);
    if (!low || !high)
      return false;
    band = {*low, *high};
  }
  // What is left over, then from the innermost level outward: how far the
  // levels below reach together.
  SmallVector<int64_t> below(bands.size());
  std::optional<int64_t> sum = difference;
  for (auto [i, entry] : llvm::enumerate(llvm::reverse(bands))) {
    if (!sum)
      return false;
    below[bands.size() - 1 - i] = *sum;
    std::optional<int64_t> own = reach(entry.first, entry.second);
    sum = own ? llvm::checkedAdd(*sum, *own) : std::nullopt;
  }
  unsigned level = 0;
  for (const auto &[stride, band] : bands) {
    if (below[level++] >= stride)
      return false;
    if (band.low > 0 || band.high < 0)
      return true;
  }
  return difference != 0;
}

/// The same sum with the sign of everything turned.
static Bands mirrored(const Bands &bands) {
  Bands result;
  for (const auto &[stride, band] : bands)
    result[stride] = {-band.high, -band.low};
  return result;
}

/// True when the greatest common divisor of all strides does not divide the
/// difference of the offsets. Sizes may be symbolic.
static bool excludedByDivisor(int64_t difference, const Lmad &lhs,
                              const Lmad &rhs) {
  int64_t divisor = 0;
  for (const Lmad *lmad : {&lhs, &rhs})
    for (const LmadDim &dim : lmad->dimensions())
      if (dim.staticSize() != 1 && dim.staticStride() != 0)
        divisor = std::gcd(divisor, dim.stride.getLargestKnownDivisor());
  return divisor == 0 ? difference != 0 : difference % divisor != 0;
}

bool areDisjoint(const Lmad &lhs, const Lmad &rhs) {
  if (isEmpty(lhs) || isEmpty(rhs))
    return true;
  std::optional<int64_t> difference =
      constantDifference(lhs.offset(), rhs.offset());
  if (!difference || *difference == INT64_MIN)
    return false;
  if (excludedByDivisor(*difference, lhs, rhs))
    return true;
  Bands bands;
  for (const LmadDim &dim : lhs.dimensions())
    if (!addDim(bands, dim, /*negate=*/false))
      return false;
  for (const LmadDim &dim : rhs.dimensions())
    if (!addDim(bands, dim, /*negate=*/true))
      return false;
  // Distributing the difference rounds down: turned about, it rounds up.
  return excludedByInterval(*difference, bands) ||
         excludedByLevel(*difference, bands) ||
         excludedByLevel(-*difference, mirrored(bands));
}

// Note [Difference of two LMADs]
// ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
// Two LMADs share a point exactly when
//
//     d + sum over k of s_k * x_k = 0,    low_k <= x_k <= high_k
//
// has a solution, with d the difference of the offsets and one term a distinct
// magnitude of stride: dimensions of equal magnitude add their ranges. The
// divisor test ignores the ranges, the interval test the lattice. The level
// test moves d into the ranges as far as it divides, leaving 0 <= r < s_n. Take
// s_1 > s_2 > ...; if all levels below the first, and r, reach less than s_1,
// then x_1 must be 0, for otherwise the first term alone is at least s_1 in
// magnitude. So if 0 is not in its range there is no solution; else go on with
// the next. This proves two tiles of one matrix disjoint that interleave in
// memory, which the first two tests cannot.

} // namespace mlir::tc
