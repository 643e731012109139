//===- LmadViews.cpp - LMADs made from LMADs ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices, permutations, windows, merges and compositions.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/LmadViews.h"

#include "llvm/ADT/STLExtras.h"

#include <cassert>

namespace mlir::tc {

static AffineExpr constant(const Lmad &lmad, int64_t value) {
  return getAffineConstantExpr(value, lmad.getContext());
}

/// The dimensions of `lmad`, to be edited.
static SmallVector<LmadDim, 4> editable(const Lmad &lmad) {
  return SmallVector<LmadDim, 4>(lmad.dimensions());
}

//===----------------------------------------------------------------------===//
// One dimension at a time
//===----------------------------------------------------------------------===//

Lmad slice(const Lmad &lmad, unsigned dim, AffineExpr lower, AffineExpr size,
           AffineExpr step) {
  SmallVector<LmadDim, 4> dims = editable(lmad);
  AffineExpr stride = dims[dim].stride;
  dims[dim] = {size, stride * step};
  return Lmad(lmad.offset() + lower * stride, dims);
}

Lmad slice(const Lmad &lmad, unsigned dim, int64_t lower, int64_t size,
           int64_t step) {
  return slice(lmad, dim, constant(lmad, lower), constant(lmad, size),
               constant(lmad, step));
}

Lmad slice(const Lmad &lmad, ArrayRef<AffineExpr> lowers,
           ArrayRef<AffineExpr> sizes, ArrayRef<AffineExpr> steps) {
  assert(lowers.size() == lmad.rank() && sizes.size() == lmad.rank() &&
         steps.size() == lmad.rank() && "one entry a dimension");
  Lmad result = lmad;
  for (unsigned i = 0; i < lmad.rank(); ++i)
    result = slice(result, i, lowers[i], sizes[i], steps[i]);
  return result;
}

Lmad fixDim(const Lmad &lmad, unsigned dim, AffineExpr index) {
  SmallVector<LmadDim, 4> dims = editable(lmad);
  dims.erase(dims.begin() + dim);
  return Lmad(lmad.offset() + index * lmad.stride(dim), dims);
}

Lmad permute(const Lmad &lmad, ArrayRef<unsigned> permutation) {
  assert(permutation.size() == lmad.rank() && "one entry a dimension");
  SmallVector<LmadDim, 4> dims;
  for (unsigned from : permutation)
    dims.push_back(lmad.dim(from));
  return Lmad(lmad.offset(), dims);
}

Lmad broadcast(const Lmad &lmad, unsigned position, AffineExpr size) {
  SmallVector<LmadDim, 4> dims = editable(lmad);
  dims.insert(dims.begin() + position, {size, constant(lmad, 0)});
  return Lmad(lmad.offset(), dims);
}

Lmad broadcast(const Lmad &lmad, unsigned position, int64_t size) {
  return broadcast(lmad, position, constant(lmad, size));
}

std::optional<Lmad> diagonal(const Lmad &lmad, unsigned first,
                             unsigned second) {
  assert(first != second && "a diagonal runs through two dimensions");
  std::optional<int64_t> difference =
      constantDifference(lmad.size(first), lmad.size(second));
  if (!difference)
    return std::nullopt;
  AffineExpr size = lmad.size(*difference <= 0 ? first : second);
  SmallVector<LmadDim, 4> dims = editable(lmad);
  dims[std::min(first, second)] = {size,
                                   lmad.stride(first) + lmad.stride(second)};
  dims.erase(dims.begin() + std::max(first, second));
  return Lmad(lmad.offset(), dims);
}

Lmad window(const Lmad &lmad, unsigned dim, AffineExpr outSize,
            AffineExpr inSize, AffineExpr stride, AffineExpr dilation) {
  SmallVector<LmadDim, 4> dims = editable(lmad);
  AffineExpr unit = dims[dim].stride;
  dims[dim] = {outSize, unit * stride};
  dims.insert(dims.begin() + dim + 1, {inSize, unit * dilation});
  return Lmad(lmad.offset(), dims);
}

Lmad window(const Lmad &lmad, unsigned dim, int64_t outSize, int64_t inSize,
            int64_t stride, int64_t dilation) {
  return window(lmad, dim, constant(lmad, outSize), constant(lmad, inSize),
                constant(lmad, stride), constant(lmad, dilation));
}

Lmad reverse(const Lmad &lmad, unsigned dim) {
  return slice(lmad, dim, lmad.size(dim) - 1, lmad.size(dim),
               constant(lmad, -1));
}

//===----------------------------------------------------------------------===//
// Splitting and merging
//===----------------------------------------------------------------------===//

/// Dimension `dim` as two of these sizes, whose product is its size.
static Lmad splitInto(const Lmad &lmad, unsigned dim, AffineExpr outer,
                      AffineExpr inner) {
  AffineExpr one = constant(lmad, 1);
  return window(lmad, dim, outer, inner, inner, one);
}

std::optional<Lmad> splitDim(const Lmad &lmad, unsigned dim, int64_t inner) {
  if (inner <= 0 || !lmad.size(dim).isMultipleOf(inner))
    return std::nullopt;
  return splitInto(lmad, dim, lmad.size(dim).floorDiv(inner),
                   constant(lmad, inner));
}

std::optional<Lmad> splitDim(const Lmad &lmad, unsigned dim, AffineExpr outer,
                             AffineExpr inner) {
  if (!isProvablyEqual(outer * inner, lmad.size(dim)))
    return std::nullopt;
  return splitInto(lmad, dim, outer, inner);
}

std::optional<Lmad> mergeDims(const Lmad &lmad, unsigned dim) {
  const LmadDim &outer = lmad.dim(dim), &inner = lmad.dim(dim + 1);
  LmadDim merged{outer.size * inner.size, inner.stride};
  if (inner.staticSize() == 1)
    merged = outer;
  else if (outer.staticSize() != 1 &&
           !isProvablyEqual(outer.stride, inner.size * inner.stride))
    return std::nullopt;
  SmallVector<LmadDim, 4> dims = editable(lmad);
  dims[dim] = merged;
  dims.erase(dims.begin() + dim + 1);
  return Lmad(lmad.offset(), dims);
}

Lmad dropUnitDims(const Lmad &lmad) {
  SmallVector<LmadDim, 4> dims = editable(lmad);
  llvm::erase_if(dims,
                 [](const LmadDim &dim) { return dim.staticSize() == 1; });
  return Lmad(lmad.offset(), dims);
}

Lmad mergeAdjacent(const Lmad &lmad) {
  Lmad result = dropUnitDims(lmad);
  for (unsigned dim = result.rank(); dim-- > 1;)
    if (std::optional<Lmad> merged = mergeDims(result, dim - 1))
      result = *merged;
  return result;
}

//===----------------------------------------------------------------------===//
// Composition
//===----------------------------------------------------------------------===//

Lmad compose(const Lmad &outer, ArrayRef<Lmad> indices,
             ArrayRef<AffineExpr> sizes) {
  assert(indices.size() == outer.rank() && "one index a dimension");
  AffineExpr offset = outer.offset();
  SmallVector<LmadDim, 4> dims;
  for (AffineExpr size : sizes)
    dims.push_back({size, constant(outer, 0)});
  for (auto [index, dim] : llvm::zip_equal(indices, outer.dimensions())) {
    assert(index.rank() == sizes.size() && "all over one box");
    offset = offset + index.offset() * dim.stride;
    for (unsigned i = 0; i < dims.size(); ++i)
      dims[i].stride = dims[i].stride + index.stride(i) * dim.stride;
  }
  return Lmad(offset, dims);
}

std::optional<Lmad> compose(const Lmad &outer, AffineMap map,
                            ArrayRef<AffineExpr> sizes) {
  assert(map.getNumResults() == outer.rank() && "one result a dimension");
  assert(map.getNumDims() == sizes.size() && "one size an iterator");
  SmallVector<Lmad> indices;
  for (AffineExpr result : map.getResults()) {
    std::optional<LinearForm> form = linearForm(result, map.getNumDims());
    if (!form)
      return std::nullopt;
    indices.push_back(Lmad::get(form->constant, sizes, form->coefficients));
  }
  return compose(outer, indices, sizes);
}

Lmad substitute(const Lmad &lmad, ArrayRef<AffineExpr> dims,
                ArrayRef<AffineExpr> symbols) {
  auto replace = [&](AffineExpr expr) {
    return expr.replaceDimsAndSymbols(dims, symbols);
  };
  SmallVector<LmadDim, 4> result;
  for (const LmadDim &dim : lmad.dimensions())
    result.push_back({replace(dim.size), replace(dim.stride)});
  return Lmad(replace(lmad.offset()), result);
}

} // namespace mlir::tc
