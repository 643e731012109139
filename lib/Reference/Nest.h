//===- Nest.h - One structured op as a loop nest ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every structured op comes to: a box of iterators, operands addressed by
// a linear function of them, and a scalar body.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_NEST_H
#define TC_LIB_REFERENCE_NEST_H

#include "ScalarProgram.h"
#include "View.h"

#include "mlir/IR/AffineMap.h"

namespace mlir::tc::reference {

struct Nest {
  /// Elements are at storage[base + sum of strides[i] * iterator i].
  struct Operand {
    View view;
    int64_t base = 0;
    llvm::SmallVector<int64_t> strides;
    unsigned input = 0;  ///< register that holds the element in the body
    unsigned result = 0; ///< of outputs: register to store after the body
    bool isOutput = false;
  };

  llvm::SmallVector<int64_t> extents;  ///< of the iterators
  llvm::SmallVector<Operand> operands; ///< inputs, then outputs
  ScalarProgram body;
  /// The body adds the product of all inputs to the only output.
  bool isMultiplyAdd = false;

  /// Adds an operand whose element at a point is view[map(point)]. Fails when
  /// `map` is not linear or leaves the view.
  llvm::Error addOperand(View view, AffineMap map, unsigned input,
                         bool isOutput);
  /// Runs the body at every point.
  void run();
  /// Roundings on the way to one element of the results.
  int64_t countRoundings() const;

private:
  /// Do all results stay in place along iterator `i`?
  bool isContracted(unsigned i) const;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_NEST_H
