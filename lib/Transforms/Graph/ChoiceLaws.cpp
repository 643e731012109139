//===- ChoiceLaws.cpp - In which orders a choice may be made --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [All cases] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Graph/Choice.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Values of a case. Integers are small, and extremes infinite: a double holds
/// each. Of conditions 1 is true.
using Term = SmallVector<double, 4>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

class Laws {
public:
  /// Of a choice as it says its terms may be combined.
  Laws(const Choice &choice, bool hasNaN);

  /// Do all laws hold, with one of the neutral elements?
  bool hold(SmallVector<Extreme> &neutral);
  /// Do terms that are NaN, of a value, follow the rule?
  bool follows(NaNRule rule, unsigned value) const;

private:
  Term choose(const Term &before, const Term &after) const;
  Term combine(const Term &a, const Term &b) const {
    return order && a[*order] > b[*order] ? choose(b, a) : choose(a, b);
  }
  SmallVector<Term> getTerms(bool hasExtremes) const;
  /// With `by` for what is not compared.
  Term label(Term term, double by) const;
  bool areDistinct(const Term &a, const Term &b) const {
    return !order || a[*order] != b[*order];
  }
  bool mayBeRegrouped() const;
  bool isNeutral(ArrayRef<Extreme> ends) const;

  const Choice &choice;
  std::optional<unsigned> order;
  bool hasNaN;
  DenseMap<Value, unsigned> places; ///< of values, in a row of all
};
} // namespace

//===----------------------------------------------------------------------===//
// Evaluation
//===----------------------------------------------------------------------===//

static double getMaximum(double a, double b) {
  return llvm::maximum(llvm::APFloat(a), llvm::APFloat(b)).convertToDouble();
}

static bool compare(arith::CmpFPredicate predicate, double a, double b) {
  return arith::applyCmpPredicate(predicate, llvm::APFloat(a),
                                  llvm::APFloat(b));
}

/// Only the order of numbers counts, so it does not matter whether they have
/// signs.
static bool compare(arith::CmpIPredicate predicate, double a, double b) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::eq:
    return a == b;
  case P::ne:
    return a != b;
  case P::slt:
  case P::ult:
    return a < b;
  case P::sle:
  case P::ule:
    return a <= b;
  case P::sgt:
  case P::ugt:
    return a > b;
  case P::sge:
  case P::uge:
    return a >= b;
  }
  llvm_unreachable("every predicate is handled");
}

static double evaluate(Operation *op, ArrayRef<double> in) {
  auto isFirst = [&](bool first) { return first ? in[0] : in[1]; };
  return TypeSwitch<Operation *, double>(op)
      .Case([&](arith::ConstantOp constant) {
        return double(cast<IntegerAttr>(constant.getValue()).getValue() != 0);
      })
      .Case([&](arith::CmpFOp cmp) {
        return double(compare(cmp.getPredicate(), in[0], in[1]));
      })
      .Case([&](arith::CmpIOp cmp) {
        return double(compare(cmp.getPredicate(), in[0], in[1]));
      })
      .Case([&](arith::SelectOp) { return in[0] != 0 ? in[1] : in[2]; })
      .Case([&](arith::AndIOp) { return double(in[0] != 0 && in[1] != 0); })
      .Case([&](arith::OrIOp) { return double(in[0] != 0 || in[1] != 0); })
      .Case([&](arith::XOrIOp) { return double(in[0] != in[1]); })
      .Case([&](arith::MaximumFOp) { return getMaximum(in[0], in[1]); })
      .Case([&](arith::MinimumFOp) { return -getMaximum(-in[0], -in[1]); })
      .Case<arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return isFirst(in[0] > in[1]); })
      .Case<arith::MinSIOp, arith::MinUIOp>(
          [&](auto) { return isFirst(in[0] < in[1]); });
}

Term Laws::choose(const Term &before, const Term &after) const {
  SmallVector<double, 16> values(before.begin(), before.end());
  values.append(after.begin(), after.end());
  SmallVector<double, 3> in;
  for (Operation *op : choice.ops) {
    in.clear();
    for (Value operand : op->getOperands())
      in.push_back(values[places.lookup(operand)]);
    values.push_back(evaluate(op, in));
  }
  Term next;
  for (Value value : choice.next)
    next.push_back(values[places.lookup(value)]);
  return next;
}

//===----------------------------------------------------------------------===//
// Laws
//===----------------------------------------------------------------------===//

Laws::Laws(const Choice &choice, bool hasNaN)
    : choice(choice), order(choice.order), hasNaN(hasNaN) {
  auto place = [&](Value value) { places.try_emplace(value, places.size()); };
  llvm::for_each(choice.carried, place);
  llvm::for_each(choice.terms, place);
  for (Operation *op : choice.ops)
    place(op->getResult(0));
}

/// Every bit counts, but those of a NaN.
static bool isSame(const Term &a, const Term &b) {
  return llvm::all_of(llvm::zip_equal(a, b), [](auto pair) {
    auto [x, y] = pair;
    return (std::isnan(x) && std::isnan(y)) ||
           (x == y && std::signbit(x) == std::signbit(y));
  });
}

/// Terms of all values that tell each other apart, three at a time. What is not
/// compared gets its label later.
SmallVector<Term> Laws::getTerms(bool hasExtremes) const {
  SmallVector<Term> terms = {{}};
  for (auto [i, value] : llvm::enumerate(choice.carried)) {
    SmallVector<double> domain = {0};
    bool isFloat = isa<FloatType>(value.getType());
    if (choice.isKey[i]) {
      domain.append({-1, 1});
      if (isFloat)
        domain.push_back(-0.0);
      if (isFloat && hasNaN)
        domain.push_back(kNaN);
      if (hasExtremes && order != i)
        domain.append({-kInfinity, kInfinity});
    }
    SmallVector<Term> longer;
    for (const Term &term : terms)
      for (double number : domain) {
        longer.push_back(term);
        longer.back().push_back(number);
      }
    terms = std::move(longer);
  }
  return terms;
}

Term Laws::label(Term term, double by) const {
  for (auto [isKey, value] : llvm::zip_equal(choice.isKey, term))
    value = isKey ? value : by;
  return term;
}

bool Laws::mayBeRegrouped() const {
  SmallVector<Term> all = getTerms(/*hasExtremes=*/false);
  for (const Term &first : all)
    for (const Term &second : all) {
      Term a = label(first, 1), b = label(second, 2);
      bool areTerms = areDistinct(a, b);
      if (areTerms && choice.isCommutative &&
          !isSame(combine(a, b), combine(b, a)))
        return false;
      for (const Term &third : all) {
        Term c = label(third, 3);
        if (areTerms && areDistinct(a, c) && areDistinct(b, c) &&
            !isSame(combine(combine(a, b), c), combine(a, combine(b, c))))
          return false;
        // What the loop starts from stands before all terms, whatever it has
        // where terms rise.
        if ((!order || b[*order] < c[*order]) &&
            !isSame(choose(choose(a, b), c), choose(a, choose(b, c))))
          return false;
      }
    }
  return true;
}

bool Laws::isNeutral(ArrayRef<Extreme> ends) const {
  Term neutral = llvm::map_to_vector<4>(ends, [](Extreme end) {
    return end == Extreme::Lowest ? -kInfinity : kInfinity;
  });
  return llvm::all_of(getTerms(/*hasExtremes=*/true), [&](const Term &term) {
    return isSame(combine(neutral, term), term) &&
           isSame(combine(term, neutral), term) &&
           isSame(choose(term, neutral), term);
  });
}

bool Laws::hold(SmallVector<Extreme> &neutral) {
  if (!mayBeRegrouped())
    return false;
  size_t count = choice.carried.size();
  for (unsigned bits = 0; bits < 1u << count; ++bits) {
    neutral.clear();
    for (size_t i = 0; i < count; ++i)
      neutral.push_back(bits >> i & 1 ? Extreme::Highest : Extreme::Lowest);
    if (isNeutral(neutral))
      return true;
  }
  return false;
}

bool Laws::follows(NaNRule rule, unsigned value) const {
  for (Term before : getTerms(/*hasExtremes=*/false))
    for (Term after : getTerms(/*hasExtremes=*/false)) {
      Term expected = label(before, 1);
      bool isStopped = std::isnan(before[value]);
      if (!isStopped && !std::isnan(after[value]))
        continue;
      if (rule == NaNRule::Stops)
        expected[value] = kNaN;
      if (!isSame(choose(label(before, 1), label(after, 2)), expected))
        return false;
    }
  return true;
}

bool mlir::tc::findLaws(Choice &choice, std::optional<unsigned> order) {
  auto hold = [&](bool hasNaN) {
    SmallVector<std::optional<unsigned>> ways = {std::nullopt};
    if (order && choice.isCommutative)
      ways.push_back(order);
    return llvm::any_of(ways, [&](std::optional<unsigned> way) {
      choice.order = way;
      return Laws(choice, hasNaN).hold(choice.neutral);
    });
  };
  auto follows = [&](NaNRule rule) {
    choice.rule = rule;
    return Laws(choice, /*hasNaN=*/true).follows(rule, *choice.findFloat());
  };
  for (bool isCommutative : {true, false}) {
    choice.isCommutative = isCommutative;
    choice.rule = NaNRule::Compares;
    if (hold(/*hasNaN=*/true))
      return true;
    if (choice.findFloat() && hold(/*hasNaN=*/false) &&
        (follows(NaNRule::Passes) || follows(NaNRule::Stops)))
      return true;
  }
  return false;
}

// Note [All cases]
// ~~~~~~~~~~~~~~~~
// A choice only compares numbers of one kind with each other, and takes one of
// them. So what it chooses depends on how its arguments are ordered, on which
// of them are NaN, and, by maxima and minima, on the sign of zeros; and not on
// the numbers. Three terms have few such cases: those of {-1, -0, 0, 1, NaN}
// for floats and {-1, 0, 1} for integers are all of them. What is not compared,
// but only taken along, is told apart by labels. So trying these is a proof of
//
//   - combine(a, b) = combine(b, a)
//   - combine(combine(a, b), c) = combine(a, combine(b, c))
//   - choose(choose(i, a), b) = choose(i, choose(a, b)), for what is carried
//   into
//     the loop and terms in their order
//   - combine(e, a) = combine(a, e) = choose(a, e) = a, with the lowest and the
//     highest numbers as further cases
//
// with combine = choose, or, where one of the values is known to rise from one
// iteration to the next, choose of its arguments in this order. This makes a
// loop that keeps the first of equal elements one that takes terms in any
// order. Without the first law terms are combined in their order, as where the
// larger element is the last of equal ones, with the place of the first: zeros
// of different signs tell.
//
// Loops treat NaNs in three ways. Some give them a place in the order. Some
// pass them by, where each comparison with a NaN fails: then a NaN is as good
// as the neutral element. And some stop there, where the maximum stays NaN from
// then on, which no comparison exceeds, with the place of the largest element
// before it. Parts of such a loop are combined in order: behind a part with a
// NaN nothing counts. Which of these a loop does is found out by all cases,
// too.
