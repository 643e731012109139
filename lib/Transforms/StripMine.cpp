//===- StripMine.cpp - Vectors as iterators of their own ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripMine.h"

#include "IteratorTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

/// The vector of `row`, by the contractions it is of.
static int64_t getVector(const IteratorRow &row, ArrayRef<TableTerm> terms) {
  ContractOp op = terms[row.contracted ? row.term : 0].op;
  return op.getScheduleAttr().getVector(row.name);
}

/// Splits `row` into the row of its vectors, which keeps the name, and that of
/// the elements of one.
static IteratorRow splitRow(IteratorRow &row, int64_t vector,
                            llvm::StringSet<> &names) {
  Builder builder(row.extent.getContext());
  IteratorRow elements = row;
  do
    elements.name += "_v";
  while (!names.insert(elements.name).second);
  elements.staticExtent = vector;
  elements.extent = builder.getIndexAttr(vector);
  row.staticExtent /= vector;
  row.extent = builder.getIndexAttr(row.staticExtent);
  for (auto [stride, nominal, value] :
       llvm::zip_equal(row.strides, row.nominal, row.values)) {
    nominal *= vector;
    if (!ShapedType::isDynamic(stride))
      stride *= vector;
  }
  return elements;
}

/// The schedule for the split iterators: the elements of a vector are one
/// thread's, or of one step.
static ScheduleAttr
splitSchedule(ContractOp op, const llvm::StringMap<std::string> &elements) {
  ScheduleAttr schedule = op.getScheduleAttr();
  SmallVector<Factor> reg(schedule.getReg()), step;
  for (Factor factor : schedule.getStep()) {
    factor.value /= schedule.getVector(factor.iterator.getValue());
    if (factor.value > 1)
      step.push_back(factor);
  }
  for (const Factor &factor : schedule.getVector()) {
    auto it = elements.find(factor.iterator.getValue());
    if (it == elements.end())
      continue;
    auto name = StringAttr::get(op.getContext(), it->second);
    bool contracted = op.isContracted(*op.findIterator(it->first()));
    (contracted ? step : reg).push_back({name, factor.value});
  }
  return ScheduleAttr::get(op.getContext(), schedule.getThread(), reg, step,
                           /*vector=*/{}, schedule.getStages(),
                           schedule.getKernel());
}

FailureOr<ContractGroup> mlir::tc::stripMine(RewriterBase &rewriter,
                                             ContractGroup ops) {
  if (llvm::all_of(ops, [](ContractOp op) {
        return op.getScheduleAttr().getVector().empty();
      }))
    return ops;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(getOuter(ops));
  FailureOr<std::vector<TableTerm>> terms = getTableTerms(rewriter, ops);
  if (failed(terms))
    return failure();
  llvm::StringSet<> names;
  IteratorTable table, whole = getIteratorTable(*terms);
  for (const IteratorRow &row : whole)
    names.insert(row.name);
  llvm::StringMap<std::string> elements;
  for (IteratorRow &row : whole) {
    int64_t vector = getVector(row, *terms);
    if (vector == 1) {
      table.push_back(row);
      continue;
    }
    OpBuilder::InsertionGuard guard(rewriter);
    SmallVector<OpFoldResult> values = row.values;
    for (OpFoldResult &value : row.values)
      value = buildProduct(rewriter, getOuter(ops)->getLoc(), value, vector);
    IteratorRow last = splitRow(row, vector, names);
    last.values = values;
    elements[row.name] = last.name;
    table.push_back(row);
    table.push_back(last);
  }
  return rebuildFromTable(rewriter, *terms, table,
                          [&](ContractOp op, ArrayRef<StringRef>) {
                            return splitSchedule(op, elements);
                          });
}
