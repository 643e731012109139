//===- LmadAttr.cpp - #tc.lmad --------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

LogicalResult LmadAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t offset, ArrayRef<int64_t> sizes,
                               ArrayRef<int64_t> strides) {
  if (sizes.size() != strides.size()) // lmad_rank
    return emitError() << "expected as many strides as sizes, got "
                       << strides.size() << " strides and " << sizes.size()
                       << " sizes";
  for (int64_t size : sizes)
    if (size < 0 && !ShapedType::isDynamic(size)) // lmad_size
      return emitError() << "expected sizes of at least 0, got " << size;
  return success();
}

unsigned LmadAttr::getNumDynamic() const {
  return ShapedType::isDynamic(getOffset()) +
         llvm::count_if(getSizes(), ShapedType::isDynamic) +
         llvm::count_if(getStrides(), ShapedType::isDynamic);
}

/// Are these the strides of a static dense array, last dimension fastest?
static bool isRowMajor(ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  std::optional<int64_t> expected = 1; // nothing: more than a number holds
  for (auto [size, stride] :
       llvm::zip_equal(llvm::reverse(sizes), llvm::reverse(strides))) {
    if (ShapedType::isDynamic(size) || stride != expected)
      return false;
    int64_t next = 0;
    expected = llvm::MulOverflow(*expected, size, next) ? std::nullopt
                                                        : std::optional(next);
  }
  return true;
}

MemRefType LmadAttr::getViewType(MemRefType source) const {
  SmallVector<int64_t> sourceStrides;
  int64_t sourceOffset = ShapedType::kDynamic;
  if (failed(source.getStridesAndOffset(sourceStrides, sourceOffset)))
    sourceOffset = ShapedType::kDynamic;
  int64_t offset = ShapedType::kDynamic;
  if (!ShapedType::isDynamic(sourceOffset) &&
      !ShapedType::isDynamic(getOffset()) &&
      llvm::AddOverflow(sourceOffset, getOffset(), offset))
    offset = ShapedType::kDynamic;
  // A dense row-major view is written without a layout, as elsewhere in MLIR.
  MemRefLayoutAttrInterface layout;
  if (offset != 0 || !isRowMajor(getSizes(), getStrides()))
    layout = StridedLayoutAttr::get(getContext(), offset, getStrides());
  return MemRefType::get(getSizes(), source.getElementType(), layout,
                         source.getMemorySpace());
}
