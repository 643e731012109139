//===- FoldSearch.h - Plans folded into tensor instructions -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Any plan whose threads are eight or more along the rows of a product, and
// four or more along its columns, can be carried out by a tensor instruction.
// So the search for these is that of all plans, among those that can.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_SEARCH_FOLDSEARCH_H
#define TC_LIB_ANALYSIS_SEARCH_FOLDSEARCH_H

#include "tc/Analysis/TilePlan.h"
#include "tc/Analysis/Workload.h"

#include <string>
#include <variant>

namespace mlir::tc {

/// Which tensor instructions a search may use, and what is a row and a column
/// of the product.
struct FoldSpace {
  /// Those with the most rows.
  SmallVector<const MmaShape *, 4> shapes;
  /// Result iterators of each input alone, those with the smallest stride in
  /// the result last: lanes along the last ones are neighbours.
  std::array<SmallVector<unsigned, 8>, 2> results;
  /// What the instructions for one product multiply.
  const Decomposition *product = nullptr;
  const Components *components = nullptr;
  /// The input that has the columns rather than the rows, where both can.
  unsigned columnInput = 1;
  /// Contracted ones, those with the smallest stride in an input first.
  SmallVector<unsigned, 8> sums;
  /// Is it that of a term of a sum? Results that are together in registers are
  /// then along iterators of the lanes: the same for all terms with these.
  bool isOfTerm = false;
  /// Of such a term, those of the others, with this one's result iterators:
  /// they have the same threads and results.
  std::vector<FoldSpace> others;
};

/// Lanes of a warp along rows and columns.
struct LaneLayout {
  SmallVector<LaneFactor, 4> rows, columns;
};

/// The space of `op`; or why there is none: `machine` has no instructions for
/// it, or only such as do not help.
std::variant<FoldSpace, std::string>
getFoldSpace(ContractOp op, const Workload &work, MachineAttr machine);

/// `space` with the result iterators of `lead`, which has them by the same
/// names as `op`.
FoldSpace renumberResults(FoldSpace space, ContractOp op, ContractOp lead);

/// Has `plan` threads and results for whole fragments, of all terms?
bool canFold(const FoldSpace &space, const TilePlan &plan);

/// Orders the threads of such a plan by warps, and folds its rows and columns:
/// as the first of `known` does that can be, else as is best for it.
void foldResults(const FoldSpace &space, TilePlan &plan,
                 ArrayRef<LaneLayout> known = {});

/// Folds the steps of a plan with folded results, and takes the instruction
/// with the most terms that these are whole ones of. Returns whether there is
/// one.
bool foldTerms(const FoldSpace &space, TilePlan &plan);

/// Gives a folded plan an instruction with fewer terms, whose fragments take
/// fewer registers. Returns whether there is one.
bool shrinkFold(const FoldSpace &space, TilePlan &plan);

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_SEARCH_FOLDSEARCH_H
