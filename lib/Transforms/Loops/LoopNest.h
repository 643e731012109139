//===- LoopNest.h - A tc.par or a tc.seq ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TRANSFORMS_LOOPS_LOOPNEST_H
#define TC_LIB_TRANSFORMS_LOOPS_LOOPNEST_H

#include "tc/IR/IndexBuilder.h"
#include "tc/Transforms/Loops.h"

namespace mlir::tc {

/// Factors of a skew that are tried to find a remedy.
inline constexpr int64_t kMaxSkew = 4;

/// What the steps need to know of a tc.par or tc.seq, and make of it.
class LoopNest {
public:
  explicit LoopNest(Operation *op) : op(op) {}

  Operation *op;

  bool isPar() const { return isa<ParOp>(op); }
  SpaceBounds getBounds() const;
  unsigned getRank() const { return getIndices().size(); }
  ValueRange getIndices() const;
  Block &getBody() const { return op->getRegion(0).front(); }
  /// Has dimension `d` one index after the other?
  bool isDense(unsigned d) const;

  /// Why no step can be taken: somebody has said who runs the iterations, or
  /// they carry values. Empty if there is no reason.
  std::string findObstacle() const;
  /// The same, and why dimension `d` cannot be counted anew: it has steps, or
  /// with `mayStep` several indices in each.
  std::string findObstacle(int64_t d, bool mayStep = false) const;

  /// An empty nest of the same kind.
  Operation *createLike(OpBuilder &builder, const SpaceBounds &bounds) const;
  /// Gives the nest other bounds.
  void setBounds(RewriterBase &rewriter, const SpaceBounds &bounds) const;
  /// Moves the body to the end of `target`, with `indices` for its own.
  void moveBody(RewriterBase &rewriter, Operation *target,
                ArrayRef<Value> indices) const;
};

/// Why no step can go on inside of `loop`, whether it carries values or not.
std::string findStagesObstacle(SeqOp loop);

/// Do elements of `type` lie in a buffer as in a vector, without bits between
/// them?
bool hasVectorsInMemory(Type type);

/// Builds the indices of a nest from those of a new one.
using BuildIndices =
    function_ref<SmallVector<Value>(IndexBuilder &, ValueRange)>;

/// Replaces `nest` by one of the same kind over `bounds`.
Operation *replaceNest(RewriterBase &rewriter, LoopNest nest,
                       const SpaceBounds &bounds, BuildIndices build);

/// Why `number`, the `what` of a step, is out of range; empty if it is not.
/// Indices have 64 bits, and are to stay far from their ends.
std::string findSizeObstacle(int64_t number, StringRef what);

/// No step; says why.
inline LogicalResult refuse(Refusal &refusal, const Twine &why) {
  refusal.why = why.str();
  return failure();
}

/// No step, because of `clash`: says what `step` would do.
LogicalResult refuse(Refusal &refusal, StringRef step, const Clash &clash);

/// Builds the times of iterations from their indices (LoopOrder.h).
using BuildTimes = function_ref<SmallVector<AffineExpr>(ArrayRef<AffineExpr>)>;

/// May the iterations of `nest`, or of a band that begins with it, run in that
/// order? Those of a tc.par may. `indices` are all of the band's. With
/// `maySkew` a remedy is looked for.
LogicalResult checkOrder(Operation *nest, ValueRange indices, StringRef step,
                         BuildTimes build, Refusal &refusal,
                         bool maySkew = true);

/// No step, unless all is known of what is in `nest`.
LogicalResult checkEffects(Operation *nest, Refusal &refusal);

} // namespace mlir::tc

#endif // TC_LIB_TRANSFORMS_LOOPS_LOOPNEST_H
