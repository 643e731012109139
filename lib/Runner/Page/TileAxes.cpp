//===- TileAxes.cpp - A block's tile, laid flat ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Page/TilePicture.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::tc {

int64_t TileAxis::getSize() const { return llvm::product_of(factors); }

void TileAxis::decode(int64_t place, MutableArrayRef<int64_t> indices) const {
  for (auto [i, factor] : llvm::reverse(llvm::zip_equal(iterators, factors))) {
    indices[i] = place % factor;
    place /= factor;
  }
}

/// Is a result iterator along the rows? With one input those of a sum are all
/// rows, and else all but the one along which results are neighbours.
static bool isRow(const Workload &work, unsigned i) {
  if (work.inputs.size() > 1)
    return work.inputs[0].variesWith(i) &&
           (!work.inputs[1].variesWith(i) || work.apart[i]);
  return !work.getSums().empty() || i != work.sortResults().front();
}

TileAxes getTileAxes(const ScheduledContraction &contraction) {
  const Workload &work = contraction.work;
  const TilePlan &plan = contraction.plan;
  TileAxes axes;
  // The fastest is the last on its side.
  SmallVector<unsigned, 8> results = work.sortResults();
  for (unsigned i : llvm::reverse(results)) {
    TileAxis &axis = isRow(work, i) ? axes.rows : axes.columns;
    axis.iterators.push_back(i);
    axis.factors.push_back(plan.getBlock(i));
  }
  for (unsigned i : work.getSums()) {
    axes.terms.iterators.push_back(i);
    axes.terms.factors.push_back(plan.step[i]);
  }
  return axes;
}

ResultPlace findResultPlace(const TilePlan &plan, ArrayRef<int64_t> indices,
                            ArrayRef<bool> contracted) {
  ResultPlace place;
  PerIterator along(indices.size()); // threads along each that are left
  for (auto [i, index] : llvm::enumerate(indices)) {
    if (contracted[i])
      continue;
    int64_t chunk = index / plan.vector[i];
    along[i] = chunk % plan.thread[i];
    place.result = place.result * plan.reg[i] * plan.vector[i] +
                   chunk / plan.thread[i] * plan.vector[i] +
                   index % plan.vector[i];
  }
  int64_t stride = 1;
  for (const LaneFactor &lane : llvm::reverse(plan.lanes)) {
    place.thread += along[lane.iterator] % lane.threads * stride;
    along[lane.iterator] /= lane.threads;
    stride *= lane.threads;
  }
  return place;
}

} // namespace mlir::tc
