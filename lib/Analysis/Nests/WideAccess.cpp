//===- WideAccess.cpp - Loops along consecutive elements ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/WideAccess.h"

#include "tc/Algebra/Exprs.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

int64_t mlir::tc::countWideElements(Type type) {
  int64_t bytes = getBytes(type);
  return bytes > 0 ? std::max<int64_t>(16 / bytes, 1) : 1;
}

/// Is `index` that of a loop whose iterations fall into groups of `count`, the
/// first at a multiple of it?
static bool fallsIntoGroups(Value index, int64_t count) {
  if (!isa<SeqOp, scf::ForOp>(index.getParentBlock()->getParentOp()))
    return false;
  std::optional<NestRange> range = findRange(index);
  if (!range || !range->step ||
      (*range->step != 1 && range->step != range->width))
    return false;
  std::optional<int64_t> lower = getConstantIntValue(range->lower),
                         upper = getConstantIntValue(range->upper);
  return lower && upper && *upper > *lower && *lower % count == 0 &&
         *upper % count == 0;
}

Value mlir::tc::findRun(const NestAccess &access, unsigned d, int64_t count,
                        NestValues &values, function_ref<bool(Value)> isOwn) {
  if (access.isLinear || count < 2)
    return {};
  auto form = linearForm(access.subscripts[d], values.getNumDims());
  if (!form)
    return {};
  Value run;
  bool isPlaced = false;
  for (auto [dim, factor] : llvm::enumerate(form->factors)) {
    Value value = values.getValue(dim);
    if (factor == 0)
      continue;
    if (value && !isOwn(value)) {
      isPlaced = true;
      continue;
    }
    if (factor % count == 0)
      continue;
    if (factor != 1 || run || !value || !fallsIntoGroups(value, count))
      return {};
    run = value;
  }
  std::optional<int64_t> first = staticValue(form->constant);
  if (!isPlaced && (!first || *first % count != 0))
    return {};
  // The loop goes along a row, not across several.
  AffineExpr own = run ? values.getDim(run) : AffineExpr();
  for (auto [other, subscript] : llvm::enumerate(access.subscripts))
    if (own && other != d &&
        subscript.isFunctionOfDim(cast<AffineDimExpr>(own).getPosition()))
      return {};
  return run;
}
