//===- SearchSteps.cpp - Ways through the contracted space ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/SearchSteps.h"

#include "Search/SearchAxes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Elements along all contracted iterators of a step, good ones first, and
/// along each of them before the next is taken.
static constexpr int64_t kTargets[] = {16, 8, 12, 24, 32, 4, 64, 1};
static constexpr int64_t kSides[] = {std::numeric_limits<int64_t>::max(), 8, 4};

/// The contracted iterators, those with the smallest stride in an input first.
static SmallVector<unsigned, 8> sortSums(const Workload &work) {
  auto order = llvm::to_vector_of<unsigned, 8>(work.getSums());
  // In order, the last iterator is walked first, and one before it only where
  // whole rows of it are staged.
  if (!work.mayReorder)
    std::reverse(order.begin(), order.end());
  else
    llvm::stable_sort(order, [&](unsigned a, unsigned b) {
      return work.getDensest(a) < work.getDensest(b);
    });
  return order;
}

/// Elements along `i` that all threads of a result take at a time.
static int64_t getRound(const std::optional<Sharing> &sharing,
                        const PerIterator &vector, unsigned i) {
  bool isShared = sharing && sharing->iterator == i;
  return vector[i] * (isShared ? sharing->threads : 1);
}

/// All vectors that there may be, for narrow numbers also no longer ones than 4
/// and 2, then each alone, then none.
static SmallVector<PerIterator>
getStepVectors(const Workload &work, const std::optional<Sharing> &sharing,
               ArrayRef<unsigned> order, int64_t mostVector) {
  PerIterator none(work.getNumIterators(), 1), all = none;
  SmallVector<PerIterator> single;
  for (unsigned i : order)
    for (int64_t vector : getVectors(work, i)) {
      if (vector > mostVector || !work.mayReorder ||
          vector * getRound(sharing, none, i) > work.extents[i])
        continue;
      all[i] = std::max(all[i], vector);
      single.push_back(none);
      single.back()[i] = vector;
    }
  single.push_back(none);
  SmallVector<PerIterator> vectors = {all};
  // Vectors of several iterators make long steps, longest where 16 bytes are
  // many elements.
  bool isNarrow = llvm::any_of(
      work.inputs, [](const Access &input) { return input.bytes < 4; });
  for (int64_t most : {4, 2}) {
    PerIterator shorter = all;
    for (unsigned i : order)
      shorter[i] = std::min(all[i], most);
    if (isNarrow && !llvm::is_contained(vectors, shorter))
      vectors.push_back(shorter);
  }
  for (PerIterator &vector : single)
    if (!llvm::is_contained(vectors, vector))
      vectors.push_back(vector);
  return vectors;
}

/// The choice of about `target` elements, `side` of each iterator before the
/// next is taken.
static StepChoice fitSteps(const Workload &work,
                           const std::optional<Sharing> &sharing,
                           ArrayRef<unsigned> order, const PerIterator &vector,
                           int64_t target, int64_t side) {
  StepChoice choice{vector, vector};
  for (unsigned i : order) {
    choice.step[i] = getRound(sharing, vector, i);
    target = std::max<int64_t>(target / vector[i], 1);
  }
  for (int64_t most : {side, std::numeric_limits<int64_t>::max()})
    for (unsigned i : order) {
      int64_t &step = choice.step[i];
      int64_t factor =
          fitTile(llvm::divideCeil(work.extents[i], step),
                  std::min(target, std::max<int64_t>(most / step, 1)));
      step = std::min(step * factor,
                      int64_t(llvm::alignTo(work.extents[i],
                                            getRound(sharing, vector, i))));
      if (!work.mayReorder && step != work.extents[i])
        return choice;
      target = std::max<int64_t>(target / factor, 1);
    }
  return choice;
}

std::vector<StepChoice>
mlir::tc::enumerateSteps(const Workload &work,
                         const std::optional<Sharing> &sharing,
                         int64_t mostVector) {
  SmallVector<unsigned, 8> order = sortSums(work);
  SmallVector<PerIterator> vectors =
      getStepVectors(work, sharing, order, mostVector);
  std::vector<StepChoice> choices;
  for (int64_t target : kTargets)
    for (int64_t side : kSides)
      for (const PerIterator &vector : vectors) {
        StepChoice choice =
            fitSteps(work, sharing, order, vector, target, side);
        for (unsigned i : order)
          choice.count *=
              double(llvm::divideCeil(work.extents[i], choice.step[i]));
        if (llvm::none_of(choices, [&](const StepChoice &other) {
              return other.step == choice.step && other.vector == choice.vector;
            }))
          choices.push_back(choice);
      }
  return choices;
}

void mlir::tc::setSteps(const Workload &work, const StepChoice &choice,
                        int64_t stages, TilePlan &plan) {
  for (unsigned i : work.getSums()) {
    plan.step[i] = choice.step[i];
    plan.vector[i] = choice.vector[i];
  }
  // A stage more than there are steps would stay empty.
  plan.stages = int64_t(std::min(double(stages), choice.count));
}

int64_t mlir::tc::getMostStages(const Workload &work, const Machine &machine,
                                bool isFolded) {
  // Narrow numbers are copied one by one, but for tensor instructions.
  bool isNarrow =
      !isFolded && llvm::any_of(work.inputs, [](const Access &input) {
        return input.bytes < 4;
      });
  if (isNarrow)
    return 1;
  // Where copies are waited for, what is ahead is in registers.
  return machine.hasAsyncCopies() ? 3 : 2;
}
