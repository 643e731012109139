//===- Samples.h - Small spaces, static and symbolic ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the law tests share. A law is tested at every point of a small space,
// twice: with constants, and with a symbol for every number, whose values are
// put in only when the result is evaluated.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_ALGEBRA_SAMPLES_H
#define TC_TEST_UNIT_ALGEBRA_SAMPLES_H

#include "tc/Algebra/Exprs.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace mlir::tc::test {

using Ints = std::vector<int64_t>;

inline MLIRContext *context() {
  static MLIRContext instance(MLIRContext::Threading::DISABLED);
  return &instance;
}

inline AffineExpr constant(int64_t value) {
  return getAffineConstantExpr(value, context());
}
inline AffineExpr symbol(unsigned i) {
  return getAffineSymbolExpr(i, context());
}
inline AffineExpr dim(unsigned i) { return getAffineDimExpr(i, context()); }

/// d0, d1, ... as an index vector.
inline SmallVector<AffineExpr> dimsUpTo(unsigned rank) {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(dim(i));
  return dims;
}

/// Turns numbers into expressions: constants, or new symbols whose values it
/// keeps.
class Numbers {
public:
  explicit Numbers(bool symbolic) : symbolic(symbolic) {}

  AffineExpr operator()(int64_t value) {
    if (!symbolic)
      return constant(value);
    values.push_back(value);
    return symbol(values.size() - 1);
  }
  SmallVector<AffineExpr> operator()(ArrayRef<int64_t> list) {
    SmallVector<AffineExpr> exprs;
    for (int64_t value : list)
      exprs.push_back((*this)(value));
    return exprs;
  }

  bool isSymbolic() const { return symbolic; }
  ArrayRef<int64_t> symbols() const { return values; }

  /// The value of `expr` at an index; fails the test when there is none.
  int64_t at(AffineExpr expr, ArrayRef<int64_t> index = {}) const {
    std::optional<int64_t> value = evaluate(expr, index, values);
    EXPECT_TRUE(value.has_value());
    return value.value_or(INT64_MIN);
  }
  Ints at(ArrayRef<AffineExpr> exprs, ArrayRef<int64_t> index = {}) const {
    Ints result;
    for (AffineExpr expr : exprs)
      result.push_back(at(expr, index));
    return result;
  }

private:
  bool symbolic;
  Ints values;
};

/// Calls `visit` with every index vector from zero to `sizes`, last fastest.
inline void forEachIndex(ArrayRef<int64_t> sizes,
                         const std::function<void(const Ints &)> &visit) {
  for (int64_t size : sizes)
    if (size <= 0)
      return;
  Ints index(sizes.size(), 0);
  while (true) {
    visit(index);
    unsigned k = sizes.size();
    while (k > 0 && ++index[k - 1] == sizes[k - 1])
      index[--k] = 0;
    if (k == 0)
      return;
  }
}

} // namespace mlir::tc::test

#endif // TC_TEST_UNIT_ALGEBRA_SAMPLES_H
