//===- TilePlan.cpp - A schedule as numbers by iterator -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/TilePlan.h"

#include "Saturating.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

int64_t TilePlan::getBlock(unsigned i) const {
  return multiply(multiply(thread[i], reg[i]), vector[i]);
}

int64_t TilePlan::getNumThreads() const {
  int64_t threads = 1;
  for (int64_t factor : thread)
    threads = multiply(threads, factor);
  return threads;
}

bool TilePlan::operator==(const TilePlan &other) const {
  return thread == other.thread && reg == other.reg && vector == other.vector &&
         step == other.step && lanes == other.lanes && stages == other.stages;
}

TilePlan mlir::tc::getPlan(ContractOp op, ScheduleAttr schedule) {
  unsigned count = op.getNumIterators();
  TilePlan plan(count);
  for (unsigned i = 0; i < count; ++i) {
    StringRef name = op.getIterator(i);
    plan.thread[i] = schedule.getThread(name);
    plan.reg[i] = schedule.getRegister(name);
    plan.step[i] = schedule.getStep(name);
  }
  for (const Factor &factor : schedule.getThread())
    if (auto i = op.findIterator(factor.iterator.getValue());
        i && factor.value > 1)
      plan.lanes.push_back(*i);
  return plan;
}

ScheduleAttr mlir::tc::getSchedule(ContractOp op, const TilePlan &plan) {
  auto collect = [&](ArrayRef<int64_t> factors, ArrayRef<unsigned> order) {
    SmallVector<Factor> named;
    for (unsigned i : order)
      if (factors[i] > 1)
        named.push_back(
            {StringAttr::get(op.getContext(), op.getIterator(i)), factors[i]});
    return named;
  };
  auto all = llvm::to_vector(llvm::seq(0u, unsigned(op.getNumIterators())));
  return ScheduleAttr::get(op.getContext(), collect(plan.thread, plan.lanes),
                           collect(plan.reg, all), collect(plan.step, all),
                           Kernel::Fma);
}
