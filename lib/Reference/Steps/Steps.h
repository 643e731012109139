//===- Steps.h - Regions compiled to steps --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A function is compiled to steps before it is evaluated: functions over the
// numbered places of State, so that a loop looks nothing up.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STEPS_STEPS_H
#define TC_LIB_REFERENCE_STEPS_STEPS_H

#include "State.h"
#include "Values/ScalarOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/FunctionExtras.h"

namespace mlir::tc::reference {

struct Step {
  Operation *op = nullptr; ///< what an error is reported at
  llvm::unique_function<llvm::Error(State &)> run;
};

/// Steps in order.
class Steps {
public:
  /// Compiles the ops of `block` but its terminator. On failure State::failed
  /// is the op at fault.
  static llvm::Expected<Steps> compile(Block &block, State &state);

  void append(Operation *op,
              llvm::unique_function<llvm::Error(State &)> function) {
    list.push_back({op, std::move(function)});
  }
  /// Runs all. On failure State::failed is the innermost op at fault.
  llvm::Error run(State &state);

private:
  std::vector<Step> list;
};

/// Values that are assigned at the same time, as the arguments of a block.
class Assignment {
public:
  Assignment(ValueRange from, ValueRange to, State &state);
  void run(State &state) const;

private:
  struct Move {
    unsigned from, to;
    bool isView;
  };
  SmallVector<Move> moves;
};

/// An affine map of scalars that are known when it runs.
class AffineCode {
public:
  AffineCode(AffineMap map, ValueRange operands, State &state);
  /// Its results. Fails where it divides by a number below 1.
  llvm::Error run(State &state, SmallVectorImpl<int64_t> &results) const;

private:
  AffineMap map;
  SmallVector<unsigned> operands;
};

/// What an atomic update, or a reduction of affine, applies to two numbers of
/// `type`; none of `assign`.
std::optional<ScalarOp> findUpdate(arith::AtomicRMWKind kind, Type type);

/// Appends a step for an op of one kind; false when `op` is of none of them.
llvm::Expected<bool> compileLoop(Operation *op, Steps &steps, State &state);
llvm::Expected<bool> compileReduction(Operation *op, Steps &steps,
                                      State &state);
llvm::Expected<bool> compileBranch(Operation *op, Steps &steps, State &state);
llvm::Expected<bool> compileAccess(Operation *op, Steps &steps, State &state);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_STEPS_H
