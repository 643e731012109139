//===- CheckNests.cpp - Report iterations that are not independent --------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Transforms/Passes.h"

#include "tc/Analysis/NestDependence.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_CHECKNESTS
#include "tc/Transforms/Passes.h.inc"
} // namespace mlir::tc

/// Does `op` run in every iteration of the loops between it and `par`?
static bool isUnconditional(Operation *op, ParOp par) {
  for (Operation *parent = op->getParentOp(); parent != par;
       parent = parent->getParentOp())
    if (!isa<ParOp, SeqOp, scf::ForOp>(parent))
      return false;
  return true;
}

static LogicalResult report(ParOp par, const NestAccess &first,
                            const NestAccess &second,
                            const IterationPair &iterations) {
  const NestAccess &write = first.writes ? first : second;
  const NestAccess &other = first.writes ? second : first;
  InFlightDiagnostic error = write.op->emitOpError(
      "expected iterations of tc.par to be independent: ");
  error << "(" << iterations.first << ") and (" << iterations.second << ")"
        << (other.writes ? " write to" : " write and read") << " one element";
  error.attachNote(par.getLoc()) << "the iterations are of this tc.par";
  if (other.op != write.op)
    error.attachNote(other.op->getLoc())
        << "the other one " << (other.writes ? "writes" : "reads") << " here";
  return error;
}

static LogicalResult checkPar(ParOp par, NestValues &values) {
  SmallVector<NestAccess> accesses;
  par.walk([&](Operation *op) {
    for (NestAccess &access : getAccesses(op, values))
      if (access.isExact && isUnconditional(op, par) &&
          !par->isAncestor(access.buffer.getParentRegion()->getParentOp()))
        accesses.push_back(access);
  });
  for (auto [i, first] : llvm::enumerate(accesses))
    for (const NestAccess &second : ArrayRef(accesses).drop_front(i)) {
      if (first.buffer != second.buffer || !(first.writes || second.writes) ||
          (first.isAtomic && second.isAtomic))
        continue;
      if (auto iterations = findMeeting(par, first, second, values))
        return report(par, first, second, *iterations);
    }
  return success();
}

namespace {
struct CheckNestsPass : tc::impl::CheckNestsBase<CheckNestsPass> {
  void runOnOperation() override {
    NestValues values(&getContext());
    WalkResult result = getOperation().walk(
        [&](ParOp par) { return WalkResult(checkPar(par, values)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
