//===- Lmad.cpp - Linear memory access descriptors ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value itself, its index function, and row-major layouts.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Lmad.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

namespace mlir::tc {

Lmad::Lmad(AffineExpr offset, ArrayRef<LmadDim> dims)
    : start(offset), dims(dims.begin(), dims.end()) {
  assert(llvm::all_of(dims,
                      [](const LmadDim &dim) {
                        return dim.size.isSymbolicOrConstant() &&
                               dim.stride.isSymbolicOrConstant();
                      }) &&
         "sizes and strides are over constants and symbols");
}

Lmad Lmad::get(AffineExpr offset, ArrayRef<AffineExpr> sizes,
               ArrayRef<AffineExpr> strides) {
  assert(sizes.size() == strides.size() && "one stride a size");
  SmallVector<LmadDim, 4> dims;
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    dims.push_back({size, stride});
  return Lmad(offset, dims);
}

Lmad Lmad::get(MLIRContext *context, int64_t offset, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> strides) {
  return get(getAffineConstantExpr(offset, context),
             getAffineConstantExprs(sizes, context),
             getAffineConstantExprs(strides, context));
}

Lmad Lmad::point(AffineExpr offset) { return Lmad(offset, {}); }

llvm::Error Lmad::verify(AffineExpr offset, ArrayRef<AffineExpr> sizes,
                         ArrayRef<AffineExpr> strides) {
  auto error = [](const llvm::Twine &message) {
    return llvm::createStringError(message);
  };
  if (!offset)
    return error("expected an offset");
  if (sizes.size() != strides.size())
    return error("expected as many strides as sizes, got " +
                 llvm::Twine(strides.size()) + " strides and " +
                 llvm::Twine(sizes.size()) + " sizes");
  for (auto [i, size] : llvm::enumerate(sizes)) {
    if (!size || !size.isSymbolicOrConstant())
      return error("expected size " + llvm::Twine(i) +
                   " over constants and symbols");
    std::optional<int64_t> value = staticValue(size);
    if (value && *value < 0)
      return error("expected size " + llvm::Twine(i) +
                   " to be at least 0, got " + llvm::Twine(*value));
    if (!strides[i] || !strides[i].isSymbolicOrConstant())
      return error("expected stride " + llvm::Twine(i) +
                   " over constants and symbols");
  }
  return llvm::Error::success();
}

SmallVector<AffineExpr> Lmad::sizes() const {
  return llvm::map_to_vector(dims, [](const LmadDim &dim) { return dim.size; });
}

SmallVector<AffineExpr> Lmad::strides() const {
  return llvm::map_to_vector(dims,
                             [](const LmadDim &dim) { return dim.stride; });
}

std::optional<SmallVector<int64_t>> Lmad::staticSizes() const {
  return staticValues(sizes());
}

std::optional<SmallVector<int64_t>> Lmad::staticStrides() const {
  return staticValues(strides());
}

bool Lmad::isStatic() const {
  return staticOffset() && staticSizes() && staticStrides();
}

AffineExpr Lmad::index(ArrayRef<AffineExpr> indices) const {
  assert(indices.size() == rank() && "one index a dimension");
  AffineExpr position = start;
  for (auto [i, dim] : llvm::zip_equal(indices, dims))
    position = position + i * dim.stride;
  return position;
}

AffineExpr Lmad::indexFlat(AffineExpr position) const {
  return index(delinearize(position, sizes()));
}

AffineExpr Lmad::numIndices() const { return product(sizes(), getContext()); }

void Lmad::print(llvm::raw_ostream &os) const {
  os << start << " + [";
  llvm::interleaveComma(dims, os, [&](const LmadDim &dim) {
    os << dim.size << " : " << dim.stride;
  });
  os << "]";
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os, const Lmad &lmad) {
  lmad.print(os);
  return os;
}

llvm::hash_code hash_value(const Lmad &lmad) {
  llvm::hash_code hash = hash_value(lmad.offset());
  for (const LmadDim &dim : lmad.dimensions())
    hash = llvm::hash_combine(hash, dim.size, dim.stride);
  return hash;
}

Lmad rowMajor(ArrayRef<AffineExpr> sizes, MLIRContext *context) {
  return paddedRowMajor(sizes, sizes.size(), context).layout;
}

Lmad rowMajor(ArrayRef<int64_t> sizes, MLIRContext *context) {
  return rowMajor(getAffineConstantExprs(sizes, context), context);
}

PaddedTile paddedRowMajor(ArrayRef<AffineExpr> sizes, unsigned split,
                          MLIRContext *context) {
  assert(split <= sizes.size() && "the split is a position between dimensions");
  AffineExpr stride = getAffineConstantExpr(1, context);
  SmallVector<LmadDim, 4> dims;
  auto prepend = [&](AffineExpr size) {
    dims.push_back({size, stride});
    stride = stride * size;
  };
  for (AffineExpr size : llvm::reverse(sizes.drop_front(split)))
    prepend(size);
  if (split < sizes.size())
    stride = stride + 1 - stride % 2; // thesis equation 19
  for (AffineExpr size : llvm::reverse(sizes.take_front(split)))
    prepend(size);
  std::reverse(dims.begin(), dims.end());
  return {Lmad(getAffineConstantExpr(0, context), dims), stride};
}

PaddedTile paddedRowMajor(ArrayRef<int64_t> sizes, unsigned split,
                          MLIRContext *context) {
  return paddedRowMajor(getAffineConstantExprs(sizes, context), split, context);
}

} // namespace mlir::tc
