//===- MapSearch.h - The best mapping to threads ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses how a tc.par lies on the threads of a device or a team, by what its
// accesses cost. No random numbers and no clock: the same nest gets the same
// mapping.
//
//===----------------------------------------------------------------------===//

#ifndef TC_ANALYSIS_MAPSEARCH_H
#define TC_ANALYSIS_MAPSEARCH_H

#include "tc/Algebra/MapCandidates.h"
#include "tc/Analysis/MapCost.h"

namespace mlir::tc {

struct RankedMapping {
  Mapping mapping;
  MapCost cost; ///< predicted
  /// By what mappings are compared: seconds without the launch, and up to a
  /// quarter more for what is wasted.
  double score = 0;
};

/// Lists mappings of a problem that are worth comparing.
using ProposeMappings =
    function_ref<std::vector<Mapping>(const MapProblem &problem)>;

/// The best `count` mappings of `op` to the threads of its level: `natural`,
/// and those that `propose` lists, by predicted time on `machine`. The first is
/// the one to take. It is `natural` unless another one is better by more than
/// the model can tell, see Note [Which is better] in MapSearch.cpp.
std::vector<RankedMapping> searchMappings(ParOp op, const Machine &machine,
                                          const Mapping &natural,
                                          ProposeMappings propose,
                                          unsigned count);

/// Writes the terms of a cost in a line.
void printMapCost(const MapCost &cost, llvm::raw_ostream &os);

} // namespace mlir::tc

#endif // TC_ANALYSIS_MAPSEARCH_H
