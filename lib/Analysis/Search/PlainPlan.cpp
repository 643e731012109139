//===- PlainPlan.cpp - A plan without a search ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Search/PlainPlan.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

TilePlan mlir::tc::getPlainPlan(const Workload &work, int64_t threads,
                                int64_t terms) {
  TilePlan plan(work.getNumIterators());
  for (unsigned i : work.sortResults()) {
    plan.thread[i] = std::min(work.extents[i], threads);
    threads /= plan.thread[i];
    if (plan.thread[i] > 1)
      plan.lanes.insert(plan.lanes.begin(), {i, plan.thread[i]});
  }
  // Where terms have an order, those of the last iterator are next to each
  // other.
  for (unsigned i = work.getNumIterators(); i-- != 0;)
    if (work.contracted[i]) {
      plan.step[i] = std::min(work.extents[i], terms);
      if (!work.mayReorder && plan.step[i] != work.extents[i])
        break;
    }
  return plan;
}
