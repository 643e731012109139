//===- CombinatorsTest.cpp - Laws of combinators --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forward, inverse and guard of each combinator and of compositions, at every
// point of small spaces, with constants and with symbols; the examples of the
// paper; and what each combinator refuses.
//
//===----------------------------------------------------------------------===//

#include "SpaceSamples.h"

#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::tc;
using namespace mlir::tc::test;
using C = Combinator;

/// A space and the combinators that are applied to it.
struct Case {
  SpaceNumbers space;
  std::vector<Combinator> combinators;
};

static std::vector<Case> cases() {
  std::vector<Case> result;
  auto add = [&](SpaceNumbers space, std::vector<Combinator> combinators) {
    result.push_back({std::move(space), std::move(combinators)});
  };
  add({}, {});
  add({}, {C::shiftLb(), C::compressGrid({}), C::permute({}), C::gridBlock(0)});
  // shift_lb: any bounds, steps stay.
  add({{1, 6}}, {C::shiftLb()});
  add({{-4, 3, 3, 2}, {2, 9, 2, 1}}, {C::shiftLb()});
  add({{3, 3}}, {C::shiftLb()});
  // compress_grid: whole and cut periods, each width, left alone.
  for (int64_t upper : {0, 1, 4, 5, 6, 7, 8, 9, 10})
    for (auto [step, width] : {std::pair(3, 1), {3, 2}, {4, 3}, {2, 2}, {1, 1}})
      add({{0, upper, step, width}}, {C::compressGrid({1})});
  add({{0, 5, 2, 1}, {0, 5, 3, 2}}, {C::compressGrid({1, 0})});
  add({{0, 5, 2, 1}, {0, 5, 3, 2}}, {C::compressGrid({0, 1})});
  add({{2, 7, 2, 1}, {0, 5, 3, 2}}, {C::compressGrid({0, 1})});
  // mask_grid.
  add({{0, 8, 3, 2}, {1, 6, 2, 1}}, {C::maskGrid()});
  // fold_last2: with unit dimensions and empty ones.
  for (const Ints &extents :
       {Ints{3, 4}, {2, 3, 4}, {1, 4}, {4, 1}, {0, 3}, {3, 0}, {1, 1}})
    add(denseNumbers(extents), {C::foldLast2()});
  add({{2, 7, 3, 2}, {0, 3}, {0, 2}}, {C::foldLast2()});
  // split_last and split_even: dividing, not dividing, larger, empty.
  for (int64_t extent : {0, 1, 3, 4, 8, 10, 12})
    for (int64_t argument : {1, 3, 4, 16}) {
      add({{0, 2}, {0, extent}}, {C::splitLast(argument)});
      add({{0, 2}, {0, extent}}, {C::splitEven(argument)});
      add({{0, 2}, {0, extent}}, {C::padLast(argument)});
    }
  // pad_last: any bounds, step and width.
  add({{2, 9}}, {C::padLast(4)});
  add({{2, 9, 3, 2}}, {C::padLast(4)});
  add({{-3, 4, 2, 1}, {1, 6, 2, 1}}, {C::padLast(8)});
  // permute: any space.
  add({{1, 3}, {0, 4, 3, 2}, {0, 2}}, {C::permute({2, 0, 1})});
  add({{0, 2}, {0, 3}}, {C::permute({0, 1})});
  // grid_block: masks what is left.
  add({{0, 5, 2, 1}, {0, 3}}, {C::gridBlock(1)});
  add({{0, 2}, {0, 3}, {0, 2}}, {C::gridBlock(3)});
  // serial: masks what is left.
  add({{0, 3}, {0, 5, 2, 1}}, {C::serial(1)});
  add({{0, 10}}, {C::splitLast(4), C::serial(1)});
  // Both: loops of each thread, the grid and the block.
  add({{0, 3}, {0, 5, 2, 1}, {0, 4}}, {C::serial(1), C::gridBlock(1)});
  add({{0, 10}}, {C::splitLast(4), C::serial(1), C::gridBlock(1)});
  // Compositions.
  add({{1, 6}, {2, 9}},
      {C::shiftLb(), C::splitLast(4), C::permute({2, 0, 1}), C::gridBlock(1)});
  add({{1, 8, 3, 2}, {-2, 5, 2, 1}},
      {C::shiftLb(), C::compressGrid({1, 1}), C::foldLast2(), C::padLast(8),
       C::splitLast(4), C::gridBlock(1)});
  add({{1, 8, 3, 2}, {-2, 5, 2, 1}},
      {C::shiftLb(), C::maskGrid(), C::foldLast2(), C::splitEven(6),
       C::gridBlock(1)});
  add({{0, 2}, {0, 3}, {0, 2}, {0, 2}},
      {C::foldLast2(), C::foldLast2(), C::foldLast2(), C::splitEven(7),
       C::permute({1, 0}), C::splitLast(2)});
  add({{0, 7}}, {C::splitLast(3), C::foldLast2(), C::splitLast(2)});
  return result;
}

/// Each case with constants (false) and with symbols (true).
class CombinatorLaws : public testing::TestWithParam<std::tuple<Case, bool>> {};

INSTANTIATE_TEST_SUITE_P(Samples, CombinatorLaws,
                         testing::Combine(testing::ValuesIn(cases()),
                                          testing::Bool()));

TEST_P(CombinatorLaws, ForwardInverseAndGuardAgree) {
  const auto &[sample, symbolic] = GetParam();
  Numbers number(symbolic);
  IndexSpace space = makeSpace(sample.space, number);
  llvm::Expected<Mapping> mapping = Mapping::get(space, sample.combinators);
  ASSERT_TRUE(bool(mapping)) << llvm::toString(mapping.takeError());
  expectLaws(*mapping, number);
}

//===----------------------------------------------------------------------===//
// The examples of the paper
//===----------------------------------------------------------------------===//

/// The step of `combinator` from the space `from`.
static MapStep applyTo(const SpaceNumbers &from, const Combinator &combinator) {
  return llvm::cantFail(combinator.apply(staticSpace(from)));
}

/// Expects `combinator` to map the space `from` to `to`.
static void expectImage(const Combinator &combinator, const SpaceNumbers &from,
                        const SpaceNumbers &to) {
  IndexSpace image = applyTo(from, combinator).image;
  ASSERT_EQ(image.rank(), to.size());
  for (auto [range, numbers] : llvm::zip_equal(image.ranges(), to)) {
    EXPECT_EQ(staticValue(range.lower), numbers.lower);
    EXPECT_EQ(staticValue(range.upper), numbers.upper);
    EXPECT_EQ(staticValue(range.step), numbers.step);
    EXPECT_EQ(staticValue(range.width), numbers.width);
  }
}

TEST(Combinators, ExamplesOfThePaper) {
  // Section 4.1.
  SpaceNumbers grid = {{0, 5, 2, 1}, {0, 5, 2, 1}};
  expectImage(C::shiftLb(), {{1, 6, 2, 1}, {1, 6, 2, 1}}, grid);
  // Section 4.2, three examples.
  SpaceNumbers wide = {{0, 5, 3, 2}, {0, 5}};
  expectImage(C::compressGrid({1, 0}), grid, {{0, 3}, {0, 5, 2, 1}});
  expectImage(C::compressGrid({1, 1}), grid, {{0, 3}, {0, 3}});
  expectImage(C::compressGrid({1, 0}), wide, {{0, 4}, {0, 5}});
  AffineExpr row = applyTo(wide, C::compressGrid({1, 0})).inverse[0];
  EXPECT_EQ(evaluate(row, {2, 0}), 3);
  // Sections 4.3 to 4.6.
  expectImage(C::foldLast2(), {{0, 2}, {0, 5}}, {{0, 10}});
  expectImage(C::splitLast(4), {{0, 10}}, {{0, 3}, {0, 4}});
  expectImage(C::padLast(4), {{0, 5}, {0, 7}}, {{0, 5}, {0, 8}});
  expectImage(C::permute({1, 0}), {{0, 5}, {0, 7}}, {{0, 7}, {0, 5}});
}

TEST(Combinators, GuardsOnlyWhereTheMapIsNotOnto) {
  EXPECT_TRUE(applyTo({{0, 12}}, C::splitLast(4)).guard.empty());
  EXPECT_EQ(applyTo({{0, 10}}, C::splitLast(4)).guard.size(), 1u);
  EXPECT_TRUE(applyTo({{2, 10}}, C::padLast(4)).guard.empty());
  EXPECT_TRUE(applyTo({{0, 12}}, C::splitEven(5)).guard.empty());
  EXPECT_TRUE(applyTo({{0, 11, 4, 3}}, C::compressGrid({1})).guard.empty());
}

TEST(Combinators, CompressStartsNoIdleThreadForConstantBounds) {
  Numbers number(false);
  for (int64_t upper = 0; upper < 12; ++upper) {
    SpaceNumbers before = {{0, upper, 4, 3}};
    EXPECT_EQ(
        members(applyTo(before, C::compressGrid({1})).image, number).size(),
        members(staticSpace(before), number).size());
  }
}

TEST(Combinators, SplitEvenStaysBelowItsLimit) {
  for (int64_t limit : {1, 2, 7, 65535}) {
    for (int64_t extent : {0, 1, 6, 7, 8, 97, 65534, 65535, 65536, 1 << 20}) {
      IndexSpace image = applyTo({{0, extent}}, C::splitEven(limit)).image;
      SmallVector<int64_t> extents = *image.staticExtents();
      EXPECT_LE(extents[1], limit);
      EXPECT_GE(extents[0] * extents[1], extent);
      EXPECT_LT(extents[0] * extents[1], extent + extents[0]);
      if (extent < limit) {
        EXPECT_EQ(extents[0], 1);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// What is refused
//===----------------------------------------------------------------------===//

/// The message that applying `combinators` to the space fails with.
static std::string failureOf(const SpaceNumbers &numbers,
                             ArrayRef<Combinator> combinators) {
  llvm::Expected<Mapping> mapping =
      Mapping::get(staticSpace(numbers), combinators);
  return mapping ? "" : llvm::toString(mapping.takeError());
}

TEST(Combinators, RefuseSpacesThatTheyDoNotMap) {
  EXPECT_EQ(failureOf({{0, 3}, {1, 3}}, {C::foldLast2()}),
            "fold_last2 at place 1: expected lower bound 0 in dimension 1; "
            "apply shift_lb before it");
  EXPECT_EQ(failureOf({{0, 3, 2, 1}, {0, 3}}, {C::foldLast2()}),
            "fold_last2 at place 1: expected step and width 1 in dimension 0; "
            "apply compress_grid or mask_grid before it");
  EXPECT_EQ(failureOf({{0, 3}}, {C::foldLast2()}),
            "fold_last2 at place 1: expected an index space of rank at least "
            "2, got rank 1");
  EXPECT_EQ(failureOf({{0, INT64_MAX}, {0, 2}}, {C::foldLast2()}),
            "fold_last2 at place 1: expected at most 2^63-1 indices after "
            "fold_last2, got 9223372036854775807 x 2");
  EXPECT_EQ(failureOf({{1, 3}}, {C::splitLast(2)}),
            "split_last at place 1: expected lower bound 0 in dimension 0; "
            "apply shift_lb before it");
  EXPECT_EQ(failureOf({{0, 4, 2, 1}}, {C::splitEven(2)}),
            "split_even at place 1: expected step and width 1 in dimension 0; "
            "apply compress_grid or mask_grid before it");
  EXPECT_EQ(failureOf({{1, 4, 2, 1}}, {C::compressGrid({1})}),
            "compress_grid at place 1: expected lower bound 0 in dimension 0; "
            "apply shift_lb before it");
  EXPECT_EQ(failureOf({{0, 4}}, {C::compressGrid({1, 0})}),
            "compress_grid at place 1: expected one argument of compress_grid "
            "for each of 1 dimensions, got 2");
  EXPECT_EQ(failureOf({}, {C::padLast(4)}),
            "pad_last at place 1: expected an index space of rank at least 1, "
            "got rank 0");
  EXPECT_EQ(failureOf({{0, 2}, {0, 2}}, {C::permute({0})}),
            "permute at place 1: expected one argument of permute for each of "
            "2 dimensions, got 1");
  EXPECT_EQ(failureOf({{0, 2}, {0, 2}}, {C::shiftLb(), C::permute({0, 0})}),
            "permute at place 2: expected the arguments of permute to be a "
            "permutation of 0 to 1");
  EXPECT_EQ(failureOf({{1, 2}}, {C::gridBlock(1)}),
            "grid_block at place 1: expected lower bound 0 in dimension 0; "
            "apply shift_lb before it");
  EXPECT_EQ(failureOf(denseNumbers({1, 1, 1, 1, 1}), {C::gridBlock(1)}),
            "grid_block at place 1: expected at most 3 grid dimensions in "
            "grid_block, got 4");
  EXPECT_EQ(failureOf({{1, 2}}, {C::serial(1)}),
            "serial at place 1: expected lower bound 0 in dimension 0; apply "
            "shift_lb before it");
  EXPECT_EQ(failureOf({{0, 2}}, {C::serial(1), C::splitLast(2)}),
            "expected nothing but grid_block after serial, got split_last");
  EXPECT_EQ(failureOf({{0, 2}}, {C::serial(1), C::gridBlock(1)}),
            "grid_block at place 2: expected at least 1 dimensions beside "
            "those of serial, got 0");
  EXPECT_EQ(failureOf(denseNumbers({1, 1, 1, 1, 1, 1}),
                      {C::serial(1), C::gridBlock(1)}),
            "grid_block at place 2: expected at most 3 grid dimensions in "
            "grid_block, got 4");
  EXPECT_EQ(failureOf({{0, 1}}, {C::gridBlock(2)}),
            "grid_block at place 1: expected an index space of rank at least "
            "2, got rank 1");
}

/// The message that `Combinator::get` fails with.
static std::string failureOf(llvm::StringRef name,
                             ArrayRef<int64_t> arguments) {
  llvm::Expected<Combinator> combinator = Combinator::get(name, arguments);
  return combinator ? "" : llvm::toString(combinator.takeError());
}

TEST(Combinators, RefuseArgumentsThatMakeNoSense) {
  EXPECT_EQ(failureOf("shift_lb", {1}),
            "expected shift_lb to take no argument, got 1");
  EXPECT_EQ(failureOf("split_last", {}),
            "expected split_last to take one argument, got 0");
  EXPECT_EQ(failureOf("pad_last", {0}),
            "expected the argument of pad_last to be at least 1, got 0");
  EXPECT_EQ(failureOf("compress_grid", {2}),
            "expected each argument of compress_grid to be 0 or 1, got 2");
  EXPECT_EQ(failureOf("permute", {0, 2}),
            "expected the arguments of permute to be a permutation of 0 to 1");
  EXPECT_EQ(failureOf("grid_block", {4}),
            "expected at most 3 block dimensions in grid_block, got 4");
  EXPECT_EQ(failureOf("fold", {}),
            "expected one of shift_lb, compress_grid, fold_last2, split_last, "
            "pad_last, permute, mask_grid, split_even, grid_block, serial, got "
            "'fold'");
}

TEST(Combinators, FoundByNameAndPrinted) {
  for (const Combinator &combinator :
       {C::shiftLb(), C::compressGrid({1, 0}), C::foldLast2(), C::splitLast(32),
        C::padLast(4), C::permute({1, 0}), C::maskGrid(), C::splitEven(9),
        C::gridBlock(2)}) {
    llvm::Expected<Combinator> found =
        Combinator::get(combinator.name(), combinator.arguments());
    ASSERT_TRUE(bool(found)) << llvm::toString(found.takeError());
    EXPECT_EQ(*found, combinator);
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << *Mapping::get(staticSpace({{0, 4}, {0, 40}}),
                      {C::foldLast2(), C::splitLast(32), C::permute({1, 0})});
  EXPECT_EQ(text, "<fold_last2, split_last(32), permute(1, 0)>");
}

//===----------------------------------------------------------------------===//
// Index spaces
//===----------------------------------------------------------------------===//

TEST(IndexSpace, VerifiesItsBounds) {
  auto failure = [](const IndexSpace &space) {
    return llvm::toString(space.verify());
  };
  EXPECT_EQ(failure(staticSpace({{0, 4, 2, 2}})), "");
  EXPECT_EQ(failure(staticSpace({{0, 4}, {0, 4, 0, 1}})),
            "expected a step of at least 1, got 0 in dimension 1");
  EXPECT_EQ(failure(staticSpace({{0, 4, 1, 0}})),
            "expected a width of at least 1, got 0 in dimension 0");
  EXPECT_EQ(failure(staticSpace({{0, 4, 2, 3}})),
            "expected a width of at most the step 2, got 3 in dimension 0");
  EXPECT_EQ(failure(symbolicSpace({dim(0)})),
            "expected bounds over constants and symbols in dimension 0");
}
