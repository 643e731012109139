//===- HostOps.cpp - tc.threshold, tc.library_product ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isLimitName(StringRef name) {
  return llvm::all_of(llvm::split(name, '.'), [](StringRef word) {
    return !word.empty() && llvm::all_of(word, llvm::isAlnum);
  });
}

LogicalResult ThresholdOp::verify() {
  if (!isLimitName(getLimit())) // threshold_name
    return emitOpError("expected a name of words of letters and digits with a "
                       "'.' between, got '")
           << getLimit() << "'";
  int64_t limit = getDefaultLimit();
  if (limit < 0) // threshold_default
    return emitOpError("expected a default of at least 0, got ") << limit;
  return success();
}

/// Has a library products of these numbers?
static bool isLibraryNumber(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    type = complex.getElementType();
  else if (isa<Float16Type, BFloat16Type>(type))
    return true;
  return isa<Float32Type, Float64Type>(type);
}

static LogicalResult verifyTypes(LibraryProductOp op) {
  auto elementOf = [](Value buffer) {
    return cast<MemRefType>(buffer.getType()).getElementType();
  };
  Type factor = elementOf(op.getA()), result = elementOf(op.getD());
  if (!isLibraryNumber(factor) ||
      elementOf(op.getB()) != factor) // product_factors
    return op.emitOpError("expected A and B of one type of f16, bf16, f32, f64 "
                          "or complex ones of f32 or f64, got ")
           << factor << " and " << elementOf(op.getB());
  bool isWider = factor.isIntOrFloat() &&
                 factor.getIntOrFloatBitWidth() == 16 && result.isF32();
  if ((result != factor && !isWider) ||
      elementOf(op.getC()) != result) // product_results
    return op.emitOpError("expected C and D of the type of A, or of f32 where "
                          "that has 16 bits, got ")
           << elementOf(op.getC()) << " and " << result;
  return success();
}

LogicalResult LibraryProductOp::verify() {
  if (getExtents().size() != 4 || getLeading().size() != 4 ||
      getStrides().size() != 4) // product_lists
    return emitOpError(
               "expected 4 extents, leading dimensions and strides, got ")
           << getExtents().size() << ", " << getLeading().size() << " and "
           << getStrides().size();
  if (getTransposed().size() != 2 || getAlpha().size() != 2 ||
      getBeta().size() != 2) // product_pairs
    return emitOpError("expected 2 of transposed, alpha and beta, got ")
           << getTransposed().size() << ", " << getAlpha().size() << " and "
           << getBeta().size();
  for (int64_t extent : getExtents())
    if (extent < 1) // product_extents
      return emitOpError("expected extents of at least 1, got ") << extent;
  for (int64_t stride : getStrides())
    if (stride < 0) // product_strides
      return emitOpError("expected strides of at least 0, got ") << stride;
  int64_t m = getExtents()[0], n = getExtents()[1], terms = getExtents()[2];
  int64_t lengths[] = {getTransposed()[0] ? terms : m,
                       getTransposed()[1] ? n : terms, m, m};
  for (auto [leading, length] : llvm::zip_equal(getLeading(), lengths))
    if (leading < length) // product_leading
      return emitOpError("expected a leading dimension of at least the ")
             << length << " elements of a column, got " << leading;
  return verifyTypes(*this);
}
