//===- PairOrder.cpp - A product of many arrays, two at a time ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Note [Order of pairs] at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/PairOrder.h"

#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace mlir;
using namespace mlir::tc;

namespace {
/// Flops first, then elements of temporaries.
struct Cost {
  int64_t flops = 0, temporaries = 0;
  bool operator<(const Cost &other) const {
    return std::tie(flops, temporaries) <
           std::tie(other.flops, other.temporaries);
  }
  Cost operator+(const Cost &other) const {
    return {add(flops, other.flops), add(temporaries, other.temporaries)};
  }
};

/// A set of inputs as bits, for those that are searched exactly.
using Subset = uint32_t;

/// The best way to contract a subset of the inputs to one array: which two
/// parts it is made of, and which of these is an input that is summed first.
struct Plan {
  Cost cost;
  Subset left = 0;
  bool sumsLeft = false, sumsRight = false;
};
} // namespace

static IteratorSet unite(IteratorSet a, const IteratorSet &b) { return a |= b; }
static IteratorSet intersect(IteratorSet a, const IteratorSet &b) {
  return a &= b;
}

/// Points of the space of some iterators.
static int64_t countPoints(const ProductShape &shape, const IteratorSet &set) {
  int64_t points = 1;
  for (unsigned i : set.set_bits())
    points = multiply(points, shape.extents[i]);
  return points;
}

/// Flops of one nest that multiplies `factors` arrays and keeps `kept`.
static int64_t countNest(const ProductShape &shape, unsigned factors,
                         const IteratorSet &iterators,
                         const IteratorSet &kept) {
  bool sums = iterators.test(kept); // any that is not kept
  return multiply(countPoints(shape, iterators), factors - 1 + sums);
}

int64_t mlir::tc::countFlops(const ProductShape &shape) {
  IteratorSet all(shape.extents.size(), true);
  return countNest(shape, shape.inputs.size(), all, shape.result);
}

/// The iterators that no input varies with: the last step walks them.
static IteratorSet getIdle(const ProductShape &shape) {
  IteratorSet idle(shape.extents.size());
  for (const IteratorSet &input : shape.inputs)
    idle |= input;
  return idle.flip();
}

//===----------------------------------------------------------------------===//
// Up to kMostExact inputs
//===----------------------------------------------------------------------===//

namespace {
/// Dynamic programming over subsets of the inputs.
class ExactSearch {
public:
  explicit ExactSearch(const ProductShape &shape)
      : shape(shape), idle(getIdle(shape)),
        all(llvm::maskTrailingOnes<Subset>(shape.inputs.size())),
        plans(size_t(all) + 1) {
    for (Subset subset = 0; subset <= all; ++subset)
      kept.push_back(getKept(subset));
  }

  PairChain run() {
    for (Subset subset = 1; subset <= all; ++subset)
      if (llvm::popcount(subset) > 1)
        plan(subset);
    PairChain chain;
    chain.flops = plans[all].cost.flops;
    chain.temporaries = plans[all].cost.temporaries;
    emit(chain, all);
    return chain;
  }

private:
  /// What the array that a subset is contracted to varies with.
  IteratorSet getKept(Subset subset) const {
    IteratorSet own(shape.extents.size()), needed = shape.result;
    for (auto [i, input] : llvm::enumerate(shape.inputs))
      (subset >> i & 1 ? own : needed) |= input;
    return subset == all ? shape.result : intersect(own, needed);
  }

  static bool isInput(Subset subset) { return llvm::popcount(subset) == 1; }
  static unsigned getInput(Subset subset) { return llvm::countr_zero(subset); }

  /// Has the input iterators that may be summed before all else?
  bool canSum(Subset subset) const {
    return isInput(subset) && shape.inputs[getInput(subset)] != kept[subset];
  }

  /// What a part varies with when it is multiplied.
  const IteratorSet &getOperand(Subset part, bool sums) const {
    return isInput(part) && !sums ? shape.inputs[getInput(part)] : kept[part];
  }

  /// The cost of having a part ready to be multiplied.
  Cost getPartCost(Subset part, bool sums) const {
    if (!isInput(part))
      return plans[part].cost;
    if (!sums)
      return {};
    return {countNest(shape, 1, shape.inputs[getInput(part)], kept[part]),
            countPoints(shape, kept[part])};
  }

  IteratorSet getNest(Subset subset, const Plan &plan) const {
    IteratorSet nest = unite(getOperand(plan.left, plan.sumsLeft),
                             getOperand(subset ^ plan.left, plan.sumsRight));
    return subset == all ? unite(nest, idle) : nest;
  }

  void consider(Subset subset, Plan candidate) {
    Cost step{countNest(shape, 2, getNest(subset, candidate), kept[subset]),
              subset == all ? 0 : countPoints(shape, kept[subset])};
    candidate.cost = getPartCost(candidate.left, candidate.sumsLeft) +
                     getPartCost(subset ^ candidate.left, candidate.sumsRight) +
                     step;
    Plan &best = plans[subset];
    if (best.left == 0 || candidate.cost < best.cost)
      best = candidate;
  }

  /// Tries each division of the subset in two; the left part has its first.
  void plan(Subset subset) {
    Subset first = subset & -subset;
    for (Subset left = (subset - 1) & subset; left != 0;
         left = (left - 1) & subset) {
      if (!(left & first))
        continue;
      for (bool sumsLeft : {false, true})
        for (bool sumsRight : {false, true})
          if ((!sumsLeft || canSum(left)) &&
              (!sumsRight || canSum(subset ^ left)))
            consider(subset, {{}, left, sumsLeft, sumsRight});
    }
  }

  unsigned push(PairChain &chain, PairStep step) const {
    chain.steps.push_back(std::move(step));
    return shape.inputs.size() + chain.steps.size() - 1;
  }

  /// Writes down the steps that make a part; returns its number.
  unsigned emitPart(PairChain &chain, Subset part, bool sums) const {
    if (!isInput(part))
      return emit(chain, part);
    unsigned input = getInput(part);
    if (!sums)
      return input;
    return push(chain, {input, {}, shape.inputs[input], kept[part]});
  }

  unsigned emit(PairChain &chain, Subset subset) const {
    const Plan &plan = plans[subset];
    unsigned left = emitPart(chain, plan.left, plan.sumsLeft);
    unsigned right = emitPart(chain, subset ^ plan.left, plan.sumsRight);
    return push(chain, {left, right, getNest(subset, plan), kept[subset]});
  }

  const ProductShape &shape;
  IteratorSet idle;
  Subset all;
  std::vector<Plan> plans;
  std::vector<IteratorSet> kept;
};
} // namespace

//===----------------------------------------------------------------------===//
// More inputs
//===----------------------------------------------------------------------===//

namespace {
/// Contracts the pair that shrinks what there is the most, over and over.
class GreedySearch {
public:
  explicit GreedySearch(const ProductShape &shape) : shape(shape) {
    for (auto [i, input] : llvm::enumerate(shape.inputs)) {
      arrays.push_back(input);
      numbers.push_back(i);
    }
  }

  PairChain run() {
    for (unsigned i = 0; i < arrays.size(); ++i) {
      IteratorSet kept = intersect(arrays[i], getNeededBut(i, i));
      if (kept != arrays[i])
        replace(i, std::nullopt, arrays[i], kept);
    }
    while (arrays.size() > 2) {
      auto [left, right] = choosePair();
      IteratorSet nest = unite(arrays[left], arrays[right]);
      replace(left, right, nest, intersect(nest, getNeededBut(left, right)));
    }
    IteratorSet nest = unite(arrays[0], arrays[1]);
    replace(0, 1, unite(nest, getIdle(shape)), shape.result);
    return std::move(chain);
  }

private:
  /// Iterators that the result or another array than these needs.
  IteratorSet getNeededBut(unsigned left, unsigned right) const {
    IteratorSet needed = shape.result;
    for (auto [i, array] : llvm::enumerate(arrays))
      if (i != left && i != right)
        needed |= array;
    return needed;
  }

  /// Pairs that share an iterator first, then by how many elements they add.
  std::pair<unsigned, unsigned> choosePair() const {
    std::pair<unsigned, unsigned> best;
    std::optional<std::tuple<bool, double, int64_t>> least;
    for (unsigned i = 0; i < arrays.size(); ++i)
      for (unsigned j = i + 1; j < arrays.size(); ++j) {
        IteratorSet nest = unite(arrays[i], arrays[j]);
        IteratorSet kept = intersect(nest, getNeededBut(i, j));
        double added = double(countPoints(shape, kept)) -
                       double(countPoints(shape, arrays[i])) -
                       double(countPoints(shape, arrays[j]));
        std::tuple<bool, double, int64_t> key{!arrays[i].anyCommon(arrays[j]),
                                              added, countPoints(shape, nest)};
        if (!least || key < *least) {
          least = key;
          best = {i, j};
        }
      }
    return best;
  }

  /// Appends a step, and puts what it yields in the place of its operands.
  void replace(unsigned left, std::optional<unsigned> right, IteratorSet nest,
               IteratorSet kept) {
    std::optional<unsigned> other;
    if (right)
      other = numbers[*right];
    chain.flops = add(chain.flops, countNest(shape, right ? 2 : 1, nest, kept));
    bool isLast = right && arrays.size() == 2;
    if (!isLast)
      chain.temporaries = add(chain.temporaries, countPoints(shape, kept));
    arrays[left] = kept;
    chain.steps.push_back({numbers[left], other, nest, kept});
    numbers[left] = shape.inputs.size() + chain.steps.size() - 1;
    if (right) {
      arrays.erase(arrays.begin() + *right);
      numbers.erase(numbers.begin() + *right);
    }
  }

  const ProductShape &shape;
  SmallVector<IteratorSet> arrays; ///< what there is to multiply
  SmallVector<unsigned> numbers;   ///< and its numbers as operands
  PairChain chain;
};
} // namespace

PairChain mlir::tc::findBestChain(const ProductShape &shape) {
  if (shape.inputs.size() <= ProductShape::kMostExact)
    return ExactSearch(shape).run();
  return GreedySearch(shape).run();
}

// Note [Order of pairs]
// ~~~~~~~~~~~~~~~~~~~~~
// Multiplication distributes over addition, so a sum over many inputs can be
// taken two inputs at a time: each step multiplies two arrays and sums away the
// iterators that nothing else needs. What a subset of the inputs is contracted
// to does not depend on the order within it, so the best order of a subset is
// the best division of it in two, each part in its own best order: 3^n
// divisions in all. An iterator that one input alone has can be summed before
// that input is multiplied, or when it is: whichever is cheaper, which is a
// choice of each division.
//
// Costs are those of numpy.einsum_path: for each point of a nest a
// multiplication for each input but one, and an addition if anything is summed.
// It does not sum inputs on their own, so it may find more flops, never fewer.
//
// The greedy rule for more inputs is that of opt_einsum: take the pair whose
// result has the fewest elements beyond those of its operands, and outer
// products last.
