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

#include <functional>

namespace mlir::tc::reference {

class Lanes;

struct Step {
  Operation *op = nullptr; ///< what an error is reported at
  llvm::unique_function<llvm::Error(State &)> run;
  /// Instead, of a step at which the lanes of a warp meet: for all of them.
  llvm::unique_function<llvm::Error(State &, Lanes &)> runTogether = {};
};

/// Steps in order.
class Steps {
public:
  /// Appends the ops of `block` but its terminator. On failure State::failed is
  /// the op at fault.
  llvm::Error append(Block &block, State &state);

  void append(Operation *op,
              llvm::unique_function<llvm::Error(State &)> function) {
    list.push_back({op, std::move(function)});
  }
  void appendTogether(
      Operation *op,
      llvm::unique_function<llvm::Error(State &, Lanes &)> function) {
    list.push_back({op, {}, std::move(function)});
  }
  /// Do lanes meet in some step?
  bool meet() const {
    return llvm::any_of(
        list, [](const Step &step) { return bool(step.runTogether); });
  }
  /// Runs all. On failure State::failed is the innermost op at fault.
  llvm::Error run(State &state);
  /// Runs all for each lane, lane after lane between the steps where they meet.
  llvm::Error runTogether(State &state, Lanes &lanes);

private:
  std::vector<Step> list;
};

/// Values that are assigned at the same time, as the arguments of a block.
class Assignment {
public:
  Assignment(ValueRange from, ValueRange to, State &state);
  void run(State &state) const;
  /// The same for each lane.
  void runTogether(State &state, Lanes &lanes) const;

private:
  struct Move {
    unsigned from, to;
    bool isView;
  };
  SmallVector<Move> moves;
};

/// What a region of one block gives to the op it belongs to.
inline ValueRange getYielded(Region &region) {
  return region.front().getTerminator()->getOperands();
}

/// An affine map of scalars that are known when it runs.
class AffineCode {
public:
  AffineCode(AffineMap map, ValueRange operands, State &state);
  /// Its results. Fails where it divides by a number below 1, and where 64 bits
  /// do not hold a number.
  llvm::Error run(State &state, SmallVectorImpl<int64_t> &results) const;

private:
  AffineMap map;
  SmallVector<unsigned> operands;
};

/// What an atomic update, or a reduction of affine, applies to two numbers of
/// `type`; none of `assign`.
std::optional<ScalarOp> findUpdate(arith::AtomicRMWKind kind, Type type);

/// How the ops of each type are compiled.
class OpTable {
public:
  using Compile = std::function<llvm::Error(Operation *, Steps &, State &)>;

  /// Ops of these types append steps: `compile(op, steps, state)`.
  template <typename... OpTs, typename Function>
  void addSteps(Function compile) {
    auto add = [&](TypeID type, Compile entry) { entries[type] = entry; };
    (add(TypeID::get<OpTs>(),
         [=](Operation *op, Steps &steps, State &state) {
           return compile(cast<OpTs>(op), steps, state);
         }),
     ...);
  }
  /// Ops of these types are one step, which gives their results views or copies
  /// elements: `run(op, state)`.
  template <typename... OpTs, typename Function>
  void addStep(Function run) {
    addSteps<OpTs...>([=](auto op, Steps &steps, State &state) {
      appendStep(op, steps, state,
                 [=](State &state) { return run(op, state); });
      return llvm::Error::success();
    });
  }
  /// Appends such a step. It fails where an operand has no value.
  static void appendStep(Operation *op, Steps &steps, State &state,
                         llvm::unique_function<llvm::Error(State &)> function);

  /// Null for an op of no type of the table.
  const Compile *find(Operation *op) const {
    auto entry = entries.find(op->getName().getTypeID());
    return entry == entries.end() ? nullptr : &entry->second;
  }

private:
  llvm::DenseMap<TypeID, Compile> entries;
};

// Add the ops of the files of these names.
void addAccessSteps(OpTable &table);
void addBranchSteps(OpTable &table);
void addLaneSteps(OpTable &table);
void addLoopSteps(OpTable &table);
void addReduceSteps(OpTable &table);
void addBufferOps(OpTable &table);
void addTensorOps(OpTable &table);
void addViewOps(OpTable &table);
void addStructuredOps(OpTable &table);
void addVectorAccesses(OpTable &table);
void addVectorElementOps(OpTable &table);
void addVectorShapeOps(OpTable &table);
void addWithSteps(OpTable &table);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_STEPS_H
