//===- LaneValues.h - Values of a nest for the lanes of a warp --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The values that one tc.par computes with, as slots of a program for the lanes
// of a warp: from its indices, those of loops inside, and what is taken to
// stand for dynamic values.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_ANALYSIS_NESTS_LANEVALUES_H
#define TC_LIB_ANALYSIS_NESTS_LANEVALUES_H

#include "Nests/LaneProgram.h"

#include "tc/Analysis/NestAccess.h"

namespace mlir::tc {

/// What a dynamic extent is taken to be: no multiple of what a
/// block of threads may have along a dimension, since nobody can rely on that.
inline constexpr int64_t kNominalBound = 250;

class LaneValues {
public:
  explicit LaneValues(ParOp op);

  LaneProgram program;
  /// The indices of the tc.par: inputs.
  SmallVector<Slot> indices;

  Slot get(Value value);
  Slot get(AffineExpr expr);
  Slot get(OpFoldResult value);
  NestValues &getNestValues() { return values; }

  /// Enters a loop inside of the tc.par, whose index `value` is: a region of
  /// its own.
  Slot addLoop(Value value);
  /// Chooses what stands for the indices of nests round the tc.par: 0 the first
  /// ones, others some.
  void setContext(uint64_t number);
  /// Are there any?
  bool hasContext() const { return !outer.empty(); }

private:
  /// An index of a loop round the tc.par, between bounds.
  struct Outer {
    Slot index, lower, upper;
    int64_t step;
  };

  Slot getOuter(BlockArgument value);
  Slot getOpaque(Value value);
  Slot getArithmetic(Operation *op);
  bool isInside(Value value) const;

  ParOp op;
  NestValues values;
  DenseMap<Value, Slot> slots;
  std::vector<Outer> outer;
  /// Indices of the tc.par and of loops that were entered.
  SmallVector<Value> varying;
  unsigned regions = 1;
};

} // namespace mlir::tc

#endif // TC_LIB_ANALYSIS_NESTS_LANEVALUES_H
