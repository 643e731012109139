//===- LmadSamples.h - LMADs for the law tests ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The LMADs that each law is tested with, and how to check one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_ALGEBRA_LMADSAMPLES_H
#define TC_TEST_UNIT_ALGEBRA_LMADSAMPLES_H

#include "Samples.h"
#include "tc/Algebra/LmadViews.h"

namespace mlir::tc::test {

/// The numbers of an LMAD.
struct LmadNumbers {
  int64_t offset;
  Ints sizes, strides;
};

/// Row-major, permuted, padded, overlapping, reversed, broadcast, empty.
inline std::vector<LmadNumbers> lmadNumbers() {
  return {{3, {4}, {2}},
          {0, {5}, {-1}},
          {0, {3, 4}, {4, 1}},
          {7, {4, 3}, {1, 4}},
          {100, {3, 3}, {-10, 3}},
          {0, {4, 3}, {1, 1}},
          {5, {2, 3, 4}, {12, 4, 1}},
          {0, {2, 3, 4}, {0, 5, 1}},
          {0, {1, 4, 1}, {9, 2, 7}},
          {-6, {3, 2, 2}, {1, -7, 20}},
          {0, {2, 0, 3}, {3, 3, 1}},
          {1, {2, 2, 3, 2}, {13, 6, 2, 1}}};
}

/// One of them, with constants or with symbols.
struct LmadSample {
  LmadSample(const LmadNumbers &numbers, bool symbolic)
      : number(symbolic),
        lmad(Lmad::get(number(numbers.offset), number(numbers.sizes),
                       number(numbers.strides))) {}

  /// The position of an index vector.
  int64_t at(const Lmad &other, ArrayRef<int64_t> index) const {
    return number.at(other.index(dimsUpTo(other.rank())), index);
  }
  int64_t at(ArrayRef<int64_t> index) const { return at(lmad, index); }
  Ints sizes(const Lmad &other) const { return number.at(other.sizes()); }

  /// Expects `result` to have these sizes, and at each index the position that
  /// `expected` gives.
  void expectLaw(const Lmad &result, const Ints &resultSizes,
                 const std::function<int64_t(const Ints &)> &expected) const {
    EXPECT_EQ(sizes(result), resultSizes);
    forEachIndex(resultSizes, [&](const Ints &index) {
      EXPECT_EQ(at(result, index), expected(index));
    });
  }

  /// The positions of all index vectors in row-major order.
  Ints sequence(const Lmad &other) const {
    Ints positions;
    forEachIndex(sizes(other), [&](const Ints &index) {
      positions.push_back(at(other, index));
    });
    return positions;
  }

  Numbers number;
  Lmad lmad;
};

/// Each sample with constants (false) and with symbols (true).
class LmadLaws : public testing::TestWithParam<std::tuple<LmadNumbers, bool>> {
protected:
  LmadSample sample{std::get<0>(GetParam()), std::get<1>(GetParam())};
  Lmad &lmad = sample.lmad;
  Numbers &number = sample.number;
  Ints sizes = std::get<0>(GetParam()).sizes;
  unsigned rank = sizes.size();
  bool symbolic = std::get<1>(GetParam());
};

} // namespace mlir::tc::test

#endif // TC_TEST_UNIT_ALGEBRA_LMADSAMPLES_H
