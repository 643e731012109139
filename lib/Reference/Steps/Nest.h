//===- Nest.h - One structured op as a loop nest ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every structured op comes to: a box of iterators, operands addressed by
// a linear function of them, and scalar instructions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_STEPS_NEST_H
#define TC_LIB_REFERENCE_STEPS_NEST_H

#include "State.h"
#include "Values/ScalarProgram.h"

#include "mlir/IR/AffineMap.h"

namespace mlir::tc::reference {

/// At every point of the outer iterators: reads the elements of sides and
/// outputs, runs `begin`; at every point of the inner iterators, in
/// lexicographic order, reads the elements of inputs and runs `body`; then runs
/// `end` and writes the elements of outputs.
struct Nest {
  enum Role { input, side, output };
  /// Elements are at storage[base + sum of strides[i] * iterator i].
  struct Operand {
    View view;
    Role role = input;
    bool isRead = true; ///< an output that is overwritten is not
    int64_t base = 0;
    llvm::SmallVector<int64_t> strides;
    unsigned element = 0; ///< register of the element that is read
    unsigned result = 0;  ///< of outputs: register of what is written
  };

  llvm::SmallVector<int64_t> extents;  ///< of the iterators
  llvm::SmallVector<bool> isInner;     ///< by iterator
  llvm::SmallVector<Operand> operands; ///< inputs, sides, outputs
  ScalarProgram program;
  /// Registers that the body updates.
  llvm::SmallVector<unsigned> accumulators;
  /// Where it is set, the body adds the product of all inputs, which are real,
  /// to the only accumulator by this operation: it is not interpreted.
  std::optional<ScalarOp> multiplyAdd;
  /// A unit that aligns products to the largest one and the sum so far, and of
  /// which so many bits after the point are kept. See Note [Short sums].
  struct ShortSum {
    int64_t bits = 0;
    /// The smallest normal number of each input, whose exponent smaller ones
    /// have.
    llvm::SmallVector<double, 2> smallest;
  };
  std::optional<ShortSum> shortSum; ///< of a multiply-add

  /// What is known of all elements that are read of an operand.
  struct Elements {
    bool areExact = true;                ///< they have no errors
    int quantum = Scalar::quantumOfZero; ///< and are multiples of 2^quantum
    double largest = 0;                  ///< of their absolute values
  };

  /// Adds an operand whose element at a point is view[map(point)]; it is read
  /// into a new register. Fails when `map` is not linear or leaves the view.
  llvm::Error addOperand(View view, AffineMap map, Role role);
  /// Runs everything at every point. Fails where it reads what nobody wrote, or
  /// where its accesses and those of another iteration conflict.
  llvm::Error run(State &state);

private:
  /// Notes the accesses of an operand.
  llvm::Expected<Elements> recordAccesses(const Operand &operand,
                                          State &state) const;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_STEPS_NEST_H
