//===- Sum.cpp - tc.sum ---------------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has a label; test/IR/invalid.mlir has a case of that name.
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// The iterators of the results, in the order of their subscripts.
static SmallVector<StringRef> getResultNames(ContractOp op) {
  SmallVector<StringRef> names;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (!op.isContracted(i))
      names.push_back(op.getIterator(i));
  llvm::sort(names);
  return names;
}

/// The subscripts of the result with the iterators as numbers in `names`.
static AffineMap getResultMap(ContractOp op, ArrayRef<StringRef> names) {
  SmallVector<AffineExpr> dims(op.getNumIterators());
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    dims[i] = getAffineDimExpr(
        llvm::find(names, op.getIterator(i)) - names.begin(), op.getContext());
  return op.getOutputMap().replaceDimsAndSymbols(dims, {}, names.size() + 1, 0);
}

/// Rules that a term keeps by itself.
static LogicalResult verifyTerm(ContractOp term, bool isFirst, bool isLast) {
  if (term.hasTensorSemantics()) // sum_memrefs
    return term.emitOpError("expected memrefs in a tc.sum, got ")
           << term.getOutput().getType();
  if (term.getOutputs().size() != 1) // sum_results
    return term.emitOpError("expected one result in a tc.sum, got ")
           << term.getOutputs().size();
  if (!term.mayReorder()) // sum_order
    return term.emitOpError("expected a combine region that is associative and "
                            "commutative in a tc.sum");
  if (term.getOverwrite() && !isFirst) // sum_overwrite
    return term.emitOpError("expected only the first term of a tc.sum to "
                            "overwrite the result");
  if (!term.getEpilogue().empty() && !isLast) // sum_epilogue
    return term.emitOpError("expected only the last term of a tc.sum to have "
                            "an epilogue");
  return success();
}

/// Rules that a term keeps with the first one.
static LogicalResult verifySameResult(ContractOp first, ContractOp term) {
  SmallVector<StringRef> names = getResultNames(first);
  if (term.getOutput() != first.getOutput() || getResultNames(term) != names ||
      getResultMap(term, names) != getResultMap(first, names)) // sum_output
    return term.emitOpError("expected all terms of a tc.sum to have the result "
                            "and subscripts of the first");
  for (StringRef name : names)
    if (term.getMixedExtents()[*term.findIterator(name)] !=
        first.getMixedExtents()[*first.findIterator(name)]) // sum_extents
      return term.emitOpError("expected '")
             << name << "' to have the same extent in all terms of a tc.sum";
  if (term.getAccumulatorTypes() != first.getAccumulatorTypes() ||
      term.getNeutralAttr() != first.getNeutralAttr() ||
      !OperationEquivalence::isRegionEquivalentTo(
          &term.getCombine(), &first.getCombine(),
          OperationEquivalence::IgnoreLocations)) // sum_combine
    return term.emitOpError("expected all terms of a tc.sum to combine as the "
                            "first does, in accumulators of one type");
  return success();
}

LogicalResult SumOp::verifyRegions() {
  SmallVector<ContractOp> terms = getTerms();
  if (terms.empty() ||
      terms.size() != getBody().front().getOperations().size()) // sum_terms
    return emitOpError("expected contractions, at least one, and nothing else");
  for (ContractOp term : terms)
    if (failed(verifyTerm(term, term == terms.front(), term == terms.back())) ||
        failed(verifySameResult(terms.front(), term)))
      return failure();
  return success();
}
