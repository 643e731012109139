//===- JoinSums.cpp - Contractions into one result as one -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/IR/TC.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_JOINSUMS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// May `op` touch a buffer that `contract` reads or writes?
static bool mayTouch(Operation *op, ContractOp contract) {
  if (isMemoryEffectFree(op))
    return false;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects || op->getNumRegions() > 0)
    return true;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  return llvm::any_of(instances, [&](const MemoryEffects::EffectInstance &e) {
    if (!e.getValue())
      return true;
    return llvm::any_of(contract.getShapedOperands(), [&](Value operand) {
      return findBuffer(operand) == findBuffer(e.getValue());
    });
  });
}

/// The names that the result iterators of `first` give to those of `next`: by
/// the subscripts of the results. Nothing where they are not the same.
static std::optional<SmallVector<std::string>> matchNames(ContractOp first,
                                                          ContractOp next) {
  SmallVector<std::string> names(next.getNumIterators());
  SmallVector<OpFoldResult> ours = first.getMixedExtents(),
                            theirs = next.getMixedExtents();
  for (auto [a, b] : llvm::zip_equal(first.getOutputMap().getResults(),
                                     next.getOutputMap().getResults())) {
    auto left = dyn_cast<AffineDimExpr>(a), right = dyn_cast<AffineDimExpr>(b);
    if (!left || !right ||
        ours[left.getPosition()] != theirs[right.getPosition()])
      return std::nullopt;
    names[right.getPosition()] = first.getIterator(left.getPosition()).str();
  }
  return names;
}

/// Why the two cannot be terms of one sum; nothing when they can.
static std::optional<StringRef> findObstacle(ContractOp first,
                                             ContractOp next) {
  if (first.getOutputs().size() != 1 || next.getOutputs().size() != 1)
    return "there are several results";
  if (next.getOverwrite())
    return "the second overwrites the result";
  if (!first.getEpilogue().empty())
    return "the first has an epilogue";
  if (!first.mayReorder() || !next.mayReorder() ||
      first.getAccumulatorTypes() != next.getAccumulatorTypes() ||
      first.getNeutralAttr() != next.getNeutralAttr() ||
      !OperationEquivalence::isRegionEquivalentTo(
          &first.getCombine(), &next.getCombine(),
          OperationEquivalence::IgnoreLocations))
    return "they do not combine alike";
  if (first.getSchedule() || next.getSchedule())
    return "they are scheduled already";
  for (Value operand : next.getShapedOperands().drop_back())
    if (findBuffer(operand) == findBuffer(first.getOutput()))
      return "the second reads the result of the first";
  if (!matchNames(first, next))
    return "their results have other subscripts";
  return std::nullopt;
}

/// Renames the iterators of `next` as `first` has them; contracted ones keep
/// theirs, made distinct.
static void rename(ContractOp first, ContractOp next) {
  SmallVector<std::string> names = *matchNames(first, next);
  llvm::StringSet<> taken;
  for (const std::string &name : names)
    taken.insert(name);
  for (auto [i, name] : llvm::enumerate(names)) {
    if (!name.empty())
      continue;
    name = next.getIterator(i).str();
    while (!taken.insert(name).second)
      name += '_';
  }
  SmallVector<StringRef> refs(names.begin(), names.end());
  next.setIteratorsAttr(Builder(next).getStrArrayAttr(refs));
}

namespace {
struct JoinSumsPass : tc::impl::JoinSumsBase<JoinSumsPass> {
  void runOnOperation() override {
    auto contracts = collectOps<ContractOp>(getOperation(), [](ContractOp op) {
      return !op.hasTensorSemantics() && !op->getParentOfType<ParOp>() &&
             !isa<SumOp>(op->getParentOp());
    });
    SmallVector<ContractOp> run;
    for (ContractOp op : contracts) {
      if (!run.empty() && !follows(run, op)) {
        join(run);
        run.clear();
      }
      run.push_back(op);
    }
    join(run);
  }

  /// Can `op` be computed together with those before it?
  bool follows(ArrayRef<ContractOp> run, ContractOp op) {
    ContractOp last = run.back();
    if (last->getBlock() != op->getBlock() ||
        last.getOutput() != op.getOutput())
      return false;
    for (Operation *between = last->getNextNode(); between != op;
         between = between->getNextNode())
      if (llvm::any_of(
              run, [&](ContractOp term) { return mayTouch(between, term); }))
        return false;
    std::optional<StringRef> obstacle = findObstacle(last, op);
    if (obstacle)
      remark::missed(op.getLoc(), remark::RemarkOpts::name("NotJoined")
                                      .category(getArgument())
                                      .function(getOperation().getName()))
          << remark::reason("not one sum with the contraction before it: {0}",
                            *obstacle);
    return !obstacle;
  }

  /// Moves the contractions of `run` to where the last is.
  static void join(ArrayRef<ContractOp> run) {
    if (run.size() < 2)
      return;
    ContractOp first = run.front(), last = run.back();
    OpBuilder builder(last);
    auto sum = SumOp::create(builder, last.getLoc());
    Block *body = builder.createBlock(&sum.getBody());
    for (ContractOp op : run) {
      if (op != first)
        rename(first, op);
      op->moveBefore(body, body->end());
    }
  }
};
} // namespace
