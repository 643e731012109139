//===- LmadQueries.cpp - What can be proven about LMADs -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points, contiguity, injectivity and footprints.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/LmadQueries.h"

#include "tc/Algebra/LmadViews.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

#include <cstdlib>
#include <numeric>

namespace mlir::tc {

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

bool isEmpty(const Lmad &lmad) {
  return llvm::any_of(lmad.dimensions(),
                      [](const LmadDim &dim) { return dim.staticSize() == 0; });
}

std::optional<SmallVector<int64_t>> enumerate(const Lmad &lmad, int64_t limit) {
  if (!lmad.isStatic())
    return std::nullopt;
  if (isEmpty(lmad))
    return SmallVector<int64_t>{};
  std::optional<int64_t> count = checkedProduct(*lmad.staticSizes());
  if (!count || *count > limit)
    return std::nullopt;
  SmallVector<int64_t> points = {*lmad.staticOffset()};
  for (const LmadDim &dim : lmad.dimensions()) {
    SmallVector<int64_t> next;
    for (int64_t point : points) {
      for (int64_t i = 0; i < *dim.staticSize(); ++i) {
        std::optional<int64_t> moved =
            llvm::checkedMulAdd(i, *dim.staticStride(), point);
        if (!moved)
          return std::nullopt;
        next.push_back(*moved);
      }
    }
    points = std::move(next);
  }
  return points;
}

std::optional<SmallVector<int64_t>> pointSet(const Lmad &lmad, int64_t limit) {
  std::optional<SmallVector<int64_t>> points = enumerate(lmad, limit);
  if (points) {
    llvm::sort(*points);
    points->erase(llvm::unique(*points), points->end());
  }
  return points;
}

//===----------------------------------------------------------------------===//
// Contiguity
//===----------------------------------------------------------------------===//

bool isRowMajorDense(const Lmad &lmad) {
  if (isEmpty(lmad))
    return true;
  Lmad normal = mergeAdjacent(lmad);
  if (normal.rank() == 0)
    return true;
  return normal.rank() == 1 && normal.dim(0).staticStride() == 1;
}

/// The dimensions that have constant parts and reach more than one point, by
/// the magnitude of the stride, least first, with strides made positive. None
/// when a part is symbolic.
static std::optional<SmallVector<std::pair<int64_t, int64_t>>>
sortedStrides(const Lmad &lmad) {
  SmallVector<std::pair<int64_t, int64_t>> strides;
  for (const LmadDim &dim : lmad.dimensions()) {
    std::optional<int64_t> size = dim.staticSize(), stride = dim.staticStride();
    if (size == 1 || stride == 0)
      continue;
    if (!size || !stride || *stride == INT64_MIN)
      return std::nullopt;
    strides.push_back({std::abs(*stride), *size});
  }
  llvm::sort(strides);
  return strides;
}

/// A dimension of `dims` whose stride is proven to be plus or minus `length`.
static const LmadDim *findStride(ArrayRef<LmadDim> dims, AffineExpr length) {
  const LmadDim *found = llvm::find_if(dims, [&](const LmadDim &dim) {
    return isProvablyEqual(dim.stride, length) ||
           isProvablyEqual(dim.stride, -length);
  });
  return found == dims.end() ? nullptr : found;
}

/// Orders the dimensions so that each stride is, up to its sign, the number of
/// points of those before it, from 1: a permuted and reversed row-major array.
/// Dimensions of stride 0 are ignored where `ignoreZero`.
static bool isChain(const Lmad &lmad, bool ignoreZero) {
  SmallVector<LmadDim> rest;
  for (const LmadDim &dim : lmad.dimensions())
    if (dim.staticSize() != 1 && !(ignoreZero && dim.staticStride() == 0))
      rest.push_back(dim);
  AffineExpr length = getAffineConstantExpr(1, lmad.getContext());
  while (!rest.empty()) {
    const LmadDim *next = findStride(rest, length);
    if (!next)
      return false;
    length = length * next->size;
    rest.erase(rest.begin() + (next - rest.data()));
  }
  return true;
}

bool isDense(const Lmad &lmad) {
  if (isEmpty(lmad))
    return true;
  std::optional<SmallVector<std::pair<int64_t, int64_t>>> strides =
      sortedStrides(lmad);
  if (!strides)
    return isChain(lmad, /*ignoreZero=*/true);
  // The dimensions so far fill `length` points; the next may not step further.
  int64_t length = 1;
  for (auto [stride, size] : *strides) {
    if (stride > length)
      return false;
    std::optional<int64_t> next = llvm::checkedMulAdd(stride, size - 1, length);
    if (!next)
      return false;
    length = *next;
  }
  return true;
}

AffineExpr innermostRun(const Lmad &lmad) {
  AffineExpr run = getAffineConstantExpr(1, lmad.getContext());
  for (const LmadDim &dim : llvm::reverse(lmad.dimensions())) {
    if (dim.staticSize() == 1)
      continue;
    if (!isProvablyEqual(dim.stride, run))
      break;
    run = run * dim.size;
  }
  return run;
}

std::optional<unsigned> unitStrideDim(const Lmad &lmad) {
  for (unsigned i = lmad.rank(); i-- > 0;)
    if (lmad.dim(i).staticStride() == 1 && lmad.dim(i).staticSize() != 1)
      return i;
  return std::nullopt;
}

int64_t knownAlignment(const Lmad &lmad, std::optional<unsigned> except) {
  // A constant 0 is a multiple of everything; std::gcd(0, n) = n.
  auto divisor = [](AffineExpr expr) -> int64_t {
    return staticValue(expr) == 0 ? 0 : expr.getLargestKnownDivisor();
  };
  int64_t result = divisor(lmad.offset());
  for (auto [i, dim] : llvm::enumerate(lmad.dimensions()))
    if (i != except && dim.staticSize() != 1)
      result = std::gcd(result, divisor(dim.stride));
  return result;
}

//===----------------------------------------------------------------------===//
// Injectivity and footprint
//===----------------------------------------------------------------------===//

bool isInjective(const Lmad &lmad) {
  if (isEmpty(lmad))
    return true;
  if (llvm::any_of(lmad.dimensions(), [](const LmadDim &dim) {
        return dim.staticStride() == 0 && dim.staticSize() != 1;
      }))
    return false;
  std::optional<SmallVector<std::pair<int64_t, int64_t>>> strides =
      sortedStrides(lmad);
  if (!strides)
    return isChain(lmad, /*ignoreZero=*/false);
  // Each stride steps over all that the smaller ones span together.
  int64_t span = 0;
  for (auto [stride, size] : *strides) {
    if (stride <= span)
      return false;
    std::optional<int64_t> next = llvm::checkedMulAdd(stride, size - 1, span);
    if (!next)
      return false;
    span = *next;
  }
  return true;
}

enum class Sign { Negative, NonNegative, Unknown };

/// The sign of `expr`; with `Symbols::NonNegative` also of sums and products
/// of symbols.
static Sign signOf(AffineExpr expr, Symbols symbols) {
  if (std::optional<int64_t> value = staticValue(expr))
    return *value < 0 ? Sign::Negative : Sign::NonNegative;
  if (symbols == Symbols::Any)
    return Sign::Unknown;
  if (expr.getKind() == AffineExprKind::SymbolId)
    return Sign::NonNegative;
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!binary)
    return Sign::Unknown;
  Sign lhs = signOf(binary.getLHS(), symbols);
  Sign rhs = signOf(binary.getRHS(), symbols);
  if (lhs == Sign::NonNegative && rhs == Sign::NonNegative)
    return Sign::NonNegative;
  // A product of two signs that differ; zero counts as either.
  if (expr.getKind() == AffineExprKind::Mul && lhs != Sign::Unknown &&
      rhs != Sign::Unknown)
    return lhs == rhs ? Sign::NonNegative : Sign::Negative;
  return Sign::Unknown;
}

/// `base + (size - 1) * stride`; none when constants overflow.
static std::optional<AffineExpr> addTravel(AffineExpr base,
                                           const LmadDim &dim) {
  std::optional<int64_t> size = dim.staticSize(), stride = dim.staticStride();
  if (!size || !stride)
    return base + (dim.size - 1) * dim.stride;
  std::optional<int64_t> travel = llvm::checkedMul(*size - 1, *stride);
  if (!travel)
    return std::nullopt;
  std::optional<int64_t> start = staticValue(base);
  if (start && !llvm::checkedAdd(*start, *travel))
    return std::nullopt;
  return base + *travel;
}

std::optional<Footprint> footprint(const Lmad &lmad, Symbols symbols) {
  if (isEmpty(lmad))
    return std::nullopt;
  Footprint result{lmad.offset(), lmad.offset()};
  for (const LmadDim &dim : lmad.dimensions()) {
    if (dim.staticSize() == 1)
      continue;
    Sign sign = signOf(dim.stride, symbols);
    if (sign == Sign::Unknown)
      return std::nullopt;
    AffineExpr &end = sign == Sign::Negative ? result.min : result.max;
    std::optional<AffineExpr> moved = addTravel(end, dim);
    if (!moved)
      return std::nullopt;
    end = *moved;
  }
  return result;
}

} // namespace mlir::tc
