//===- Combinators.cpp - Maps from index spaces to thread spaces ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per kind says what it does to a space, in affine expressions.
// Sections are those of the paper that Combinators.h names. A new combinator is
// an enum case, a row of the table, a function, and a law test.
//
//===----------------------------------------------------------------------===//

#include "tc/Algebra/Combinators.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace mlir::tc {

using Kind = Combinator::Kind;
using Arguments = ArrayRef<int64_t>;
using llvm::Error;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(message);
}

namespace {
/// A combinator on its way to a step. Starts as the identity on the domain.
struct Application {
  Arguments arguments;
  SmallVector<IndexRange, 4> ranges; ///< of the domain, then of the image
  SmallVector<AffineExpr> forward, inverse, guard;
  MLIRContext *context;

  Application(Arguments arguments, const IndexSpace &domain)
      : arguments(arguments), ranges(domain.ranges()),
        context(domain.getContext()) {
    for (unsigned i = 0; i < domain.rank(); ++i)
      forward.push_back(dim(i));
    inverse = forward;
  }

  unsigned rank() const { return ranges.size(); }
  AffineExpr dim(unsigned i) const { return getAffineDimExpr(i, context); }
  AffineExpr constant(int64_t value) const {
    return getAffineConstantExpr(value, context);
  }
  /// The range 0 to `extent`.
  IndexRange plainRange(AffineExpr extent) const {
    return {constant(0), extent, constant(1), constant(1)};
  }

  Error expectRank(unsigned least) const {
    if (rank() >= least)
      return Error::success();
    return error("expected an index space of rank at least " + Twine(least) +
                 ", got rank " + Twine(rank()));
  }
  Error expectZeroBased(unsigned i) const {
    if (ranges[i].isZeroBased())
      return Error::success();
    return error("expected lower bound 0 in dimension " + Twine(i) +
                 "; apply shift_lb before it");
  }
  /// Expects the last `count` dimensions to be zero based and dense.
  Error expectPlain(unsigned count) const {
    if (Error failed = expectRank(count))
      return failed;
    for (unsigned i = rank() - count; i < rank(); ++i) {
      if (Error failed = expectZeroBased(i))
        return failed;
      if (!ranges[i].isDense())
        return error("expected step and width 1 in dimension " + Twine(i) +
                     "; apply compress_grid or mask_grid before it");
    }
    return Error::success();
  }
  Error expectArgumentPerDim(llvm::StringRef name) const {
    if (arguments.size() == rank())
      return Error::success();
    return error("expected one argument of " + name + " for each of " +
                 Twine(rank()) + " dimensions, got " + Twine(arguments.size()));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// One dimension at a time
//===----------------------------------------------------------------------===//

/// Section 4.1. The step and width count from the lower bound, so they stay. A
/// constant empty range stays empty: its upper bound becomes 0, not negative.
static Error shiftLb(Application &a) {
  for (auto [i, range] : llvm::enumerate(a.ranges)) {
    a.forward[i] = a.dim(i) - range.lower;
    a.inverse[i] = a.dim(i) + range.lower;
    std::optional<int64_t> extent = staticValue(range.extent());
    range.upper = extent && *extent < 0 ? a.constant(0) : range.extent();
    range.lower = a.constant(0);
  }
  return Error::success();
}

/// What the original SaC back end does with an if statement (section 5.3): a
/// thread for every index between the bounds; those that the step and the width
/// leave out have no work. compress_grid starts no idle threads, but recovering
/// the index costs more.
static Error maskGrid(Application &a) {
  for (auto [i, range] : llvm::enumerate(a.ranges)) {
    if (!range.isDense())
      a.guard.push_back(range.width - 1 -
                        (a.dim(i) - range.lower) % range.step);
    range.step = range.width = a.constant(1);
  }
  return Error::success();
}

/// How many indices the steps and widths of `range` leave, where that is known;
/// min(rest, width), for a last period that is cut short, is not affine.
static AffineExpr countIndices(const IndexRange &range) {
  if (staticValue(range.width) == 1)
    return range.upper.ceilDiv(range.step);
  std::optional<int64_t> upper = staticValue(range.upper);
  std::optional<int64_t> step = staticValue(range.step);
  std::optional<int64_t> width = staticValue(range.width);
  if (!upper || !step || !width)
    return {};
  int64_t last = std::min(llvm::mod(*upper, *step), *width);
  return getAffineConstantExpr(*upper / *step * *width + last,
                               range.upper.getContext());
}

/// Section 4.2. Of every `step` indices the first `width` are kept, so index i
/// becomes (i floordiv step) * width + i mod step. Where the number of indices
/// is not affine, the image is whole periods, and a guard cuts the rest.
static Error compressGrid(Application &a) {
  if (Error failed = a.expectArgumentPerDim("compress_grid"))
    return failed;
  for (auto [i, range] : llvm::enumerate(a.ranges)) {
    if (!a.arguments[i])
      continue;
    if (Error failed = a.expectZeroBased(i))
      return failed;
    AffineExpr count = range.upper;
    if (!range.isDense()) {
      a.forward[i] =
          a.dim(i).floorDiv(range.step) * range.width + a.dim(i) % range.step;
      a.inverse[i] =
          a.dim(i).floorDiv(range.width) * range.step + a.dim(i) % range.width;
      count = countIndices(range);
      if (!count) {
        count = range.upper.ceilDiv(range.step) * range.width;
        a.guard.push_back(range.upper - 1 - a.inverse[i]);
      }
    }
    range = a.plainRange(count);
  }
  return Error::success();
}

/// Section 4.5. Bounds, step and width may be any: only the upper bound moves.
static Error padLast(Application &a) {
  if (Error failed = a.expectRank(1))
    return failed;
  int64_t multiple = a.arguments[0];
  IndexRange &last = a.ranges.back();
  if (!last.extent().isMultipleOf(multiple))
    a.guard = {last.upper - 1 - a.dim(a.rank() - 1)};
  last.upper = last.lower + last.extent().ceilDiv(multiple) * multiple;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Several dimensions
//===----------------------------------------------------------------------===//

/// Section 4.3: (i, j) of m x n becomes i * n + j. A dimension of constant
/// extent 1 costs nothing to recover.
static Error foldLast2(Application &a) {
  if (Error failed = a.expectPlain(2))
    return failed;
  AffineExpr inner = a.ranges.pop_back_val().upper;
  AffineExpr outer = a.ranges.pop_back_val().upper;
  std::optional<int64_t> rows = staticValue(outer),
                         columns = staticValue(inner);
  if (rows && columns && !llvm::checkedMul(*rows, *columns))
    return error("expected at most 2^63-1 indices after fold_last2, got " +
                 Twine(*rows) + " x " + Twine(*columns));
  unsigned place = a.rank();
  a.ranges.push_back(a.plainRange(outer * inner));
  a.forward.truncate(place);
  a.forward.push_back(a.dim(place) * inner + a.dim(place + 1));
  a.inverse.truncate(place);
  llvm::append_range(a.inverse, delinearize(a.dim(place), {outer, inner}));
  return Error::success();
}

/// Index i of n becomes (i floordiv m, i mod m) of `parts` x `size`.
static Error splitInto(Application &a, AffineExpr parts, AffineExpr size,
                       bool isExact) {
  AffineExpr extent = a.ranges.pop_back_val().upper;
  unsigned place = a.rank();
  a.ranges.push_back(a.plainRange(parts));
  a.ranges.push_back(a.plainRange(size));
  a.forward[place] = a.dim(place).floorDiv(size);
  a.forward.push_back(a.dim(place) % size);
  a.inverse[place] = a.dim(place) * size + a.dim(place + 1);
  if (!isExact)
    a.guard = {extent - 1 - a.inverse[place]};
  return Error::success();
}

/// Section 4.4: ceil(n/k) x k.
static Error splitLast(Application &a) {
  if (Error failed = a.expectPlain(1))
    return failed;
  AffineExpr extent = a.ranges.back().upper;
  int64_t size = a.arguments[0];
  return splitInto(a, extent.ceilDiv(size), a.constant(size),
                   extent.isMultipleOf(size));
}

/// p x m, with p = n floordiv k + 1 parts of m = ceil(n/p) indices, so m is at
/// most k whatever n is, and fewer than p threads are idle. For a limit of the
/// device on an extent that is not known, where split_last(k) would start k
/// threads for every n. p is never 0, so that nothing divides by it; recovering
/// the index takes one multiplication.
static Error splitEven(Application &a) {
  if (Error failed = a.expectPlain(1))
    return failed;
  AffineExpr extent = a.ranges.back().upper;
  AffineExpr parts = extent.floorDiv(a.arguments[0]) + 1;
  AffineExpr size = extent.ceilDiv(parts);
  return splitInto(a, parts, size, parts * size == extent);
}

/// Section 4.6. Costs nothing: it renames the dimensions of the thread index.
static Error permute(Application &a) {
  if (Error failed = a.expectArgumentPerDim("permute"))
    return failed;
  SmallVector<IndexRange, 4> ranges = a.ranges;
  for (auto [to, from] : llvm::enumerate(a.arguments)) {
    a.ranges[to] = ranges[from];
    a.forward[to] = a.dim(from);
    a.inverse[from] = a.dim(to);
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The last of a mapping
//===----------------------------------------------------------------------===//

/// Gives dimensions their roles. Neither the hardware nor the loops of a thread
/// know a step or width, so those that are left are masked.
static Error giveRoles(Application &a) {
  for (unsigned i = 0; i < a.rank(); ++i)
    if (Error failed = a.expectZeroBased(i))
      return failed;
  return maskGrid(a);
}

/// Section 6.1: the innermost dimensions, as many as the argument says, are the
/// block, the others but those of serial the grid, at most three each; the last
/// of either is its x axis.
static Error gridBlock(Application &a) {
  if (Error failed = a.expectRank(a.arguments[0]))
    return failed;
  return giveRoles(a);
}

/// The outermost dimensions, as many as the argument says, are loops of each
/// thread, the others its axes: where there are T threads for N iterations,
/// each has a sequential factor of ceil(N / T).
static Error serial(Application &a) {
  if (Error failed = a.expectRank(a.arguments[0]))
    return failed;
  return giveRoles(a);
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
/// What the arguments of a kind are.
enum class Takes { Nothing, FromZero, FromOne, UpToThree, Flags, Permutation };

struct KindRow {
  llvm::StringLiteral name;
  Takes takes;
  Error (*apply)(Application &);
};
} // namespace

/// By kind.
static constexpr KindRow table[] = {
    {"shift_lb", Takes::Nothing, shiftLb},
    {"compress_grid", Takes::Flags, compressGrid},
    {"fold_last2", Takes::Nothing, foldLast2},
    {"split_last", Takes::FromOne, splitLast},
    {"pad_last", Takes::FromOne, padLast},
    {"permute", Takes::Permutation, permute},
    {"mask_grid", Takes::Nothing, maskGrid},
    {"split_even", Takes::FromOne, splitEven},
    {"grid_block", Takes::UpToThree, gridBlock},
    {"serial", Takes::FromZero, serial},
};

static const KindRow &rowOf(Kind kind) { return table[unsigned(kind)]; }

static Error checkOneArgument(const KindRow &row, Arguments arguments) {
  int64_t least = row.takes == Takes::FromOne;
  if (arguments.size() != 1)
    return error("expected " + row.name + " to take one argument, got " +
                 Twine(arguments.size()));
  if (arguments[0] < least)
    return error("expected the argument of " + row.name + " to be at least " +
                 Twine(least) + ", got " + Twine(arguments[0]));
  if (row.takes == Takes::UpToThree && arguments[0] > 3)
    return error("expected at most 3 block dimensions in " + row.name +
                 ", got " + Twine(arguments[0]));
  return Error::success();
}

/// Whether the arguments make sense on any space.
static Error checkArguments(const KindRow &row, Arguments arguments) {
  switch (row.takes) {
  case Takes::Nothing:
    if (!arguments.empty())
      return error("expected " + row.name + " to take no argument, got " +
                   Twine(arguments.size()));
    return Error::success();
  case Takes::FromZero:
  case Takes::FromOne:
  case Takes::UpToThree:
    return checkOneArgument(row, arguments);
  case Takes::Flags:
    for (int64_t flag : arguments)
      if (flag != 0 && flag != 1)
        return error("expected each argument of " + row.name +
                     " to be 0 or 1, got " + Twine(flag));
    return Error::success();
  case Takes::Permutation:
    if (!std::is_permutation(arguments.begin(), arguments.end(),
                             llvm::seq<int64_t>(0, arguments.size()).begin()))
      return error("expected the arguments of " + row.name +
                   " to be a permutation of 0 to " +
                   Twine(arguments.size() - 1));
    return Error::success();
  }
  llvm_unreachable("every kind takes something");
}

//===----------------------------------------------------------------------===//
// Combinator
//===----------------------------------------------------------------------===//

llvm::Expected<Combinator> Combinator::get(Kind kind, Arguments arguments) {
  if (Error error = checkArguments(rowOf(kind), arguments))
    return llvm::Expected<Combinator>(std::move(error));
  return Combinator(kind, arguments);
}

llvm::Expected<Combinator> Combinator::get(llvm::StringRef name,
                                           Arguments arguments) {
  for (auto [kind, row] : llvm::enumerate(table))
    if (row.name == name)
      return get(Kind(kind), arguments);
  auto names = llvm::map_range(table, [](auto &row) { return row.name.str(); });
  return error("expected one of " + llvm::join(names, ", ") + ", got '" + name +
               "'");
}

llvm::StringRef Combinator::name() const { return rowOf(which).name; }

llvm::Expected<MapStep> Combinator::apply(const IndexSpace &domain) const {
  const KindRow &row = rowOf(which);
  if (Error error = checkArguments(row, values))
    return llvm::Expected<MapStep>(std::move(error));
  Application a(values, domain);
  if (Error error = row.apply(a))
    return llvm::Expected<MapStep>(std::move(error));
  return MapStep{IndexSpace(a.context, a.ranges), std::move(a.forward),
                 std::move(a.inverse), std::move(a.guard)};
}

void Combinator::print(llvm::raw_ostream &os) const {
  os << name();
  if (values.empty())
    return;
  os << '(';
  llvm::interleaveComma(values, os);
  os << ')';
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                              const Combinator &combinator) {
  combinator.print(os);
  return os;
}

} // namespace mlir::tc
