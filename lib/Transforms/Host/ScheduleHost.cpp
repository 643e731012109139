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

#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

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
    for (ContractOp op : collectOps<ContractOp>(getOperation(), isOfHost))
      if (failed(schedule(op, op.hasStaticExtents())))
        return signalPassFailure();
  }

  LogicalResult schedule(ContractOp op, bool isWorthwhile);
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

/// `isWorthwhile` says that the terms are enough, if anything can be tiled.
LogicalResult ScheduleHostPass::schedule(ContractOp op, bool isWorthwhile) {
  auto helper = TCDialect::HostScheduleAttrHelper(op.getContext());
  FailureOr<StrideTable> table = getStrideTable(op);
  if (failed(table))
    return failure();
  if (helper.isAttrPresent(op) ||
      (op.hasStaticExtents() && !table->hasKnownPoints()))
    return success(); // tc-tile-host checks one that is there
  HostScheduleAttr choice =
      chooseHostSchedule(op, *table, {vectorBits, vectorRegisters});
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
  if (isBare(op) || !findHostScheduleProblem(op, *table, choice)) {
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
