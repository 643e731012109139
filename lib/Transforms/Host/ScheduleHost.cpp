//===- ScheduleHost.cpp - The pass tc-schedule-host -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decides how a CPU computes each contraction. What depends on extents that are
// dynamic becomes a condition, so that tc-tile-host has nothing to decide.
//
//===----------------------------------------------------------------------===//

#include "Contract/Split.h"
#include "Host/HostLoops.h"
#include "Host/HostPlan.h"
#include "Host/HostSearch.h"

#include "tc/Analysis/Tuning.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_SCHEDULEHOST
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct ScheduleHostPass : tc::impl::ScheduleHostBase<ScheduleHostPass> {
  using ScheduleHostBase::ScheduleHostBase;

  void runOnOperation() override {
    if (vectorBits < 64 || vectorBits % 64 != 0 || vectorRegisters < 8) {
      getOperation().emitError()
          << "expected vectors of a multiple of 64 bits and at least 8 "
             "registers, got "
          << vectorBits.getValue() << " bits and " << vectorRegisters.getValue()
          << " registers";
      return signalPassFailure();
    }
    if (failed(readTuning()))
      return signalPassFailure();
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isOfHost))
      if (failed(schedule(op, op.hasStaticExtents())))
        return signalPassFailure();
  }

  HostVectors getUnit() {
    return {vectorBits, vectorRegisters, {bf16Dot, i16Dot}};
  }
  LogicalResult readTuning();
  LogicalResult schedule(ContractOp op, bool isWorthwhile);
  FailureOr<HostScheduleAttr> choose(ContractOp op, const StrideTable &table);
  void explain(ContractOp op, const StrideTable &table);

  std::optional<TuningFile> known;
};
} // namespace

/// Are the terms enough for a schedule? Also a sum without terms is left to
/// loops.
static Value buildIsWorthwhile(HostBuilder &builder, ContractOp op) {
  Value terms = builder.constant(1);
  for (OpFoldResult extent : op.getMixedExtents())
    terms = builder.multiply(terms, builder.get(extent));
  return arith::CmpIOp::create(builder, arith::CmpIPredicate::uge, terms,
                               builder.constant(kHostTerms));
}

LogicalResult ScheduleHostPass::readTuning() {
  if (tuning.empty())
    return success();
  llvm::Expected<TuningFile> file = TuningFile::read(tuning);
  if (!file)
    return getOperation().emitError(toString(file.takeError()));
  known = std::move(*file);
  return success();
}

/// What the tuning file has, or else the pass's own.
FailureOr<HostScheduleAttr> ScheduleHostPass::choose(ContractOp op,
                                                     const StrideTable &table) {
  HostScheduleAttr own = chooseHostSchedule(op, table, getUnit());
  if (!known)
    return own;
  llvm::Expected<HostScheduleAttr> tuned = known->findHost(op, table, cpu);
  if (!tuned)
    return op.emitOpError("tuning file: ") << toString(tuned.takeError());
  if (!*tuned)
    return own;
  auto name = remark::RemarkOpts::name("Tuned").category("tc-schedule-host");
  if (auto problem =
          findHostScheduleProblem(op, table, *tuned, getUnit().dots)) {
    remark::missed(op.getLoc(), name) << remark::reason(
        "the schedule of the tuning file does not fit: {0}", *problem);
    return own;
  }
  remark::passed(op.getLoc(), name)
      << remark::reason("the schedule of the tuning file is taken");
  return *tuned;
}

/// Prints what can be tried for a contraction that a tuning file can name.
void ScheduleHostPass::explain(ContractOp op, const StrideTable &table) {
  std::optional<std::string> key = getTuningKey(op, table);
  if (!key || explained == 0)
    return;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "contraction: " << *key << "\nversion: " << kHostTuningVersion;
  for (auto [n, schedule] :
       llvm::enumerate(listHostSchedules(op, table, getUnit(), explained)))
    os << "\nschedule " << n + 1 << ": " << numberIterators(op, schedule);
  emitRemark(op.getLoc()) << text;
}

/// `isWorthwhile` says that the terms are enough, if anything can be tiled.
LogicalResult ScheduleHostPass::schedule(ContractOp op, bool isWorthwhile) {
  auto helper = TCDialect::HostScheduleAttrHelper(op.getContext());
  FailureOr<StrideTable> table = getStrideTable(op);
  if (failed(table))
    return failure();
  if (helper.isAttrPresent(op) ||
      (op.hasStaticExtents() && !table->hasKnownPoints()))
    return success(); // tc-tile-host checks one that is there
  explain(op, *table);
  FailureOr<HostScheduleAttr> found = choose(op, *table);
  if (failed(found))
    return failure();
  HostScheduleAttr choice = *found;
  if (!choice)
    return success();
  IRRewriter rewriter(op);
  if (!isWorthwhile) {
    HostBuilder builder(op.getLoc(), rewriter);
    auto branch = scf::IfOp::create(builder, buildIsWorthwhile(builder, op),
                                    /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.elseBlock());
    builder.clone(*op);
    op->moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    return schedule(op, /*isWorthwhile=*/true);
  }
  if (isBare(op) ||
      !findHostScheduleProblem(op, *table, choice, getUnit().dots)) {
    helper.setAttr(op, choice);
    return success();
  }
  // Sums in several blocks are added up in memory, in their own type.
  FailureOr<ContractParts> parts =
      splitIntoBuffers(rewriter, op, divideByExtents(rewriter, op));
  if (failed(parts) || failed(schedule(parts->intoBuffers, isWorthwhile)))
    return failure();
  return schedule(parts->fromBuffers.front(), isWorthwhile);
}
