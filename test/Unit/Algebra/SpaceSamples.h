//===- SpaceSamples.h - Index spaces for the law tests ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Index spaces as numbers, and the laws of anything that maps one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_UNIT_ALGEBRA_SPACESAMPLES_H
#define TC_TEST_UNIT_ALGEBRA_SPACESAMPLES_H

#include "Samples.h"
#include "tc/Algebra/Mapping.h"

#include <set>

namespace mlir::tc::test {

/// One dimension of an index space.
struct RangeNumbers {
  int64_t lower, upper, step = 1, width = 1;
};
using SpaceNumbers = std::vector<RangeNumbers>;

/// Dense, zero-based ranges of these extents.
inline SpaceNumbers denseNumbers(const Ints &extents) {
  SpaceNumbers ranges;
  for (int64_t extent : extents)
    ranges.push_back({0, extent});
  return ranges;
}

/// The space, with a constant or a symbol for each number. Zeros of lower
/// bounds and ones of steps and widths stay constants, as they do in a program.
inline IndexSpace makeSpace(const SpaceNumbers &numbers, Numbers &number) {
  auto plain = [&](int64_t value, int64_t constantValue) {
    return value == constantValue ? constant(value) : number(value);
  };
  SmallVector<IndexRange> ranges;
  for (const RangeNumbers &range : numbers) {
    bool dense = range.step == range.width;
    AffineExpr step = plain(range.step, 1);
    AffineExpr width = dense ? step : plain(range.width, 1);
    ranges.push_back({plain(range.lower, 0), number(range.upper), step, width});
  }
  return IndexSpace(context(), ranges);
}

/// The same with constants only.
inline IndexSpace staticSpace(const SpaceNumbers &numbers) {
  Numbers number(/*symbolic=*/false);
  return makeSpace(numbers, number);
}
inline IndexSpace denseSpace(const Ints &extents) {
  return staticSpace(denseNumbers(extents));
}

/// The dense, zero-based space of these extents.
inline IndexSpace symbolicSpace(ArrayRef<AffineExpr> extents) {
  SmallVector<IndexRange> ranges;
  for (AffineExpr extent : extents)
    ranges.push_back({constant(0), extent, constant(1), constant(1)});
  return IndexSpace(context(), ranges);
}

/// Is this a member at the values of the symbols? By the definition.
inline bool isMember(const IndexSpace &space, const Numbers &number,
                     const Ints &index) {
  for (auto [i, range] : llvm::zip_equal(index, space.ranges())) {
    int64_t relative = i - number.at(range.lower);
    if (relative < 0 || i >= number.at(range.upper) ||
        relative % number.at(range.step) >= number.at(range.width))
      return false;
  }
  return true;
}

/// The members of a space at the values of its symbols.
inline std::set<Ints> members(const IndexSpace &space, const Numbers &number) {
  Ints lower, extents;
  for (const IndexRange &range : space.ranges()) {
    lower.push_back(number.at(range.lower));
    extents.push_back(number.at(range.upper) - lower.back());
  }
  std::set<Ints> result;
  forEachIndex(extents, [&](const Ints &relative) {
    Ints index;
    for (auto [i, first] : llvm::zip_equal(relative, lower))
      index.push_back(first + i);
    if (isMember(space, number, index))
      result.insert(index);
  });
  return result;
}

/// True when every condition holds at the index.
inline bool hold(ArrayRef<AffineExpr> conditions, const Numbers &number,
                 const Ints &index) {
  return llvm::all_of(conditions, [&](AffineExpr condition) {
    return number.at(condition, index) >= 0;
  });
}

/// The laws, at every point: inverse(forward(i)) = i; the guard selects exactly
/// the image of the members, out of all members of the image space.
inline void expectLaws(const Mapping &mapping, const Numbers &number) {
  std::set<Ints> domain = members(mapping.domain(), number);
  std::set<Ints> image = members(mapping.image(), number);
  SmallVector<AffineExpr> index = dimsUpTo(mapping.domain().rank());
  SmallVector<AffineExpr> thread = dimsUpTo(mapping.image().rank());
  SmallVector<AffineExpr> forward = mapping.forward(index);
  SmallVector<AffineExpr> inverse = mapping.inverse(thread);
  SmallVector<AffineExpr> guard = mapping.guard(thread);
  std::set<Ints> reached;
  for (const Ints &i : domain) {
    Ints t = number.at(forward, i);
    EXPECT_EQ(number.at(inverse, t), i);
    EXPECT_TRUE(reached.insert(t).second) << testing::PrintToString(t);
  }
  std::set<Ints> selected;
  for (const Ints &t : image)
    if (hold(guard, number, t))
      selected.insert(t);
  EXPECT_EQ(selected, reached);
}

} // namespace mlir::tc::test

#endif // TC_TEST_UNIT_ALGEBRA_SPACESAMPLES_H
