//===- Predictor.h - The cost model, for many plans -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of predictCost that a search calls.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_COST_PREDICTOR_H
#define TC_LIB_ANALYSIS_COST_PREDICTOR_H

#include "Cost/Traffic.h"

#include "tc/Analysis/CostModel.h"

namespace mlir::tc {

/// As the other predictCost; `cache` is of the same workload.
KernelCost predictCost(const Workload &work, const TilePlan &plan,
                       const Machine &machine, TrafficCache &cache);

/// The emulator's name of the unit, and its lanes a cycle and multiprocessor.
std::pair<StringRef, double> getRate(Arithmetic unit, const Machine &machine);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_COST_PREDICTOR_H
