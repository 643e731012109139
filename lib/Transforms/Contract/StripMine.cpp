//===- StripMine.cpp - Vectors as iterators of their own ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// What an iterator is split into beside itself: names, empty for none.
struct Parts {
  std::string lanes, elements;
};
} // namespace

/// The innermost dimensions of an iterator are its elements, then its lanes.
static StagingAttr splitStaging(StagingAttr staging,
                                const llvm::StringMap<Parts> &split) {
  SmallVector<Factor> strides(staging.getStrides());
  for (auto &[name, parts] : split) {
    SmallVector<StringRef, 2> inner;
    for (StringRef part : {StringRef(parts.elements), StringRef(parts.lanes)})
      if (!part.empty())
        inner.push_back(part);
    auto next = inner.begin();
    for (Factor &dim : llvm::reverse(strides))
      if (next != inner.end() && dim.iterator.getValue() == name)
        dim.iterator = StringAttr::get(staging.getContext(), *next++);
  }
  return StagingAttr::get(staging.getContext(), strides, staging.getChunk());
}

/// The schedule for the split iterators: the elements of a vector are one
/// thread's, or of one step; the faster of two factors is the lanes'.
static ScheduleAttr splitSchedule(ContractOp op,
                                  const llvm::StringMap<Parts> &split) {
  ScheduleAttr schedule = op.getScheduleAttr();
  auto rename = [&](const Factor &factor, StringRef name) {
    return Factor{StringAttr::get(op.getContext(), name), factor.value};
  };
  SmallVector<Factor> thread(schedule.getThread()), reg(schedule.getReg()),
      step, unroll;
  for (auto &entry : split)
    for (Factor &factor : llvm::reverse(thread))
      if (factor.iterator.getValue() == entry.first() &&
          !entry.second.lanes.empty()) {
        factor = rename(factor, entry.second.lanes);
        break;
      }
  for (Factor factor : schedule.getStep()) {
    StringRef name = factor.iterator.getValue();
    factor.value /= schedule.getVector(name) * schedule.getFastThread(name);
    if (factor.value > 1)
      step.push_back(factor);
  }
  for (auto &entry : split)
    if (!entry.second.lanes.empty() &&
        op.isContracted(*op.findIterator(entry.first())))
      step.push_back({StringAttr::get(op.getContext(), entry.second.lanes),
                      schedule.getFastThread(entry.first())});
  for (const Factor &factor : schedule.getVector()) {
    auto it = split.find(factor.iterator.getValue());
    if (it == split.end() || it->second.elements.empty())
      continue;
    bool contracted = op.isContracted(*op.findIterator(it->first()));
    (contracted ? step : reg).push_back(rename(factor, it->second.elements));
  }
  // A vector is unrolled whole, and what holds it by what is left.
  for (Factor factor : schedule.getUnroll()) {
    StringRef name = factor.iterator.getValue();
    int64_t vector = schedule.getVector(name);
    factor.value /= vector;
    unroll.push_back(factor);
    if (auto it = split.find(name);
        it != split.end() && !it->second.elements.empty())
      unroll.push_back(
          {StringAttr::get(op.getContext(), it->second.elements), vector});
  }
  auto staging =
      llvm::map_to_vector(schedule.getStaging(), [&](StagingAttr input) {
        return splitStaging(input, split);
      });
  return ScheduleAttr::get(op.getContext(), thread, reg, step, /*vector=*/{},
                           /*split=*/{}, staging, unroll, schedule.getStages(),
                           schedule.getResident(), schedule.getKernel(),
                           schedule.getUnit());
}

/// `other` for `op`, whose inputs that are read in place stay there: steps may
/// be too long for copies of them.
static ScheduleAttr keepInPlace(ContractOp op, ScheduleAttr other) {
  ArrayRef<StagingAttr> given = op.getScheduleAttr().getStaging();
  if (llvm::none_of(given, [](StagingAttr s) { return s.isInPlace(); }))
    return other;
  other = completeStaging(op, *getStrideTable(op), other);
  SmallVector<StagingAttr> staging(other.getStaging());
  for (auto [own, before] : llvm::zip_equal(staging, given))
    if (before.isInPlace())
      own = before;
  return other.withStaging(staging);
}

/// The schedule without vectors along extents that they may not divide:
/// neighbours of a thread are then its registers.
static void dropPartialVectors(ContractOp op) {
  ScheduleAttr schedule = op.getScheduleAttr();
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  SmallVector<Factor> reg(schedule.getReg()), vector;
  for (const Factor &factor : schedule.getVector()) {
    unsigned i = *op.findIterator(factor.iterator.getValue());
    if (isMultipleOf(extents[i], factor.value)) {
      vector.push_back(factor);
      continue;
    }
    if (op.isContracted(i))
      continue;
    auto *own = llvm::find_if(reg, [&](const Factor &other) {
      return other.iterator == factor.iterator;
    });
    if (own == reg.end())
      reg.push_back(factor);
    else
      own->value *= factor.value;
  }
  // Other tiles are staged and unrolled in another way.
  if (vector.size() != schedule.getVector().size())
    op.setScheduleAttr(keepInPlace(
        op, ScheduleAttr::get(op.getContext(), schedule.getThread(), reg,
                              schedule.getStep(), vector, schedule.getSplit(),
                              schedule.getStages(), schedule.getResident(),
                              schedule.getKernel(), schedule.getUnit())));
}

/// Are there neither vectors nor iterators listed twice?
static bool isMined(ContractOp op) {
  ScheduleAttr schedule = op.getScheduleAttr();
  return schedule.getVector().empty() &&
         llvm::all_of(schedule.getThread(), [&](const Factor &factor) {
           return schedule.getFastThread(factor.iterator.getValue()) == 1;
         });
}

FailureOr<ContractGroup> mlir::tc::stripMine(RewriterBase &rewriter,
                                             ContractGroup ops) {
  llvm::for_each(ops, dropPartialVectors);
  if (llvm::all_of(ops, isMined))
    return ops;
  OpBuilder::InsertionGuard guard(rewriter);
  Location loc = getOuter(ops)->getLoc();
  rewriter.setInsertionPoint(getOuter(ops));
  FailureOr<StrideTable> table = buildStrideTable(rewriter, ops);
  if (failed(table))
    return failure();
  llvm::StringSet<> names;
  for (StringRef name : table->names)
    names.insert(name);
  SmallVector<unsigned> order;
  // Contracted iterators of different terms may have the same name.
  std::vector<llvm::StringMap<Parts>> split(ops.size());
  for (unsigned i = 0, e = table->getNumIterators(); i < e; ++i) {
    std::string name = table->names[i];
    bool contracted = table->contracted[i];
    ScheduleAttr schedule =
        ops[contracted ? table->term[i] : 0].getScheduleAttr();
    SmallVector<unsigned, 2> inner;
    auto splitOff = [&](int64_t size, StringRef suffix) {
      if (size == 1)
        return std::string();
      std::string fresh = name;
      do
        fresh += suffix;
      while (!names.insert(fresh).second);
      inner.push_back(splitRow(rewriter, loc, *table, i, size, fresh));
      return fresh;
    };
    Parts parts;
    parts.elements = splitOff(schedule.getVector(name), "_v");
    parts.lanes = splitOff(schedule.getFastThread(name), "_t");
    for (auto [term, ofTerm] : llvm::enumerate(split))
      if (!contracted || table->term[i] == term)
        ofTerm[name] = parts;
    order.push_back(i);
    llvm::append_range(order, llvm::reverse(inner));
  }
  return rebuildFromTable(rewriter, ops, selectRows(*table, order),
                          [&](unsigned number, ArrayRef<StringRef>) {
                            return splitSchedule(ops[number], split[number]);
                          });
}
