//===- ScalarProgram.h - Regions of scalar ops, interpreted -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a structured op as straight lists of instructions over numbered
// registers: what is done before the terms of a result, for each term, and
// after them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_VALUES_SCALARPROGRAM_H
#define TC_LIB_REFERENCE_VALUES_SCALARPROGRAM_H

#include "Values/ScalarOps.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace mlir::tc::reference {

/// Computes a scalar in a way that no table of operations has.
using Computation = std::function<Scalar(llvm::ArrayRef<Scalar> arguments)>;

struct Instruction {
  ScalarOp op;
  llvm::SmallVector<unsigned, 3> arguments; ///< registers
  unsigned result = 0;                      ///< register
  Computation computation = nullptr; ///< instead of the operation, if any

  void run(Scalar *registers) const;
};

/// Says that the evaluation does not know `op`.
llvm::Error createNoMeaningError(Operation *op);

/// The number that `op` is a constant of, if it is one.
std::optional<Scalar> findConstant(Operation *op);

class ScalarProgram {
public:
  enum Section { begin, body, end };
  /// The section that is appended to; body at first.
  Section section = body;

  /// A register for a value that the caller sets.
  unsigned addRegister(Value value = nullptr);
  /// A register that holds a constant.
  unsigned addConstant(Scalar constant);
  /// Appends the ops of `block` but its terminator; those that `find` has a
  /// computation for as that. Values from outside must have registers, or be
  /// constants.
  llvm::Error append(Block &block,
                     llvm::function_ref<Computation(Operation *)> find = {});
  /// Appends one op of one result.
  llvm::Error append(Operation *op);
  /// Appends one whose scalar operands are all that it is computed of.
  llvm::Error append(Operation *op, Computation computation);
  /// Appends an operation; returns the register of its result.
  unsigned append(const ScalarOp &op, llvm::ArrayRef<unsigned> arguments);
  /// Appends the copy of one register to another.
  void appendCopy(unsigned from, unsigned to);

  /// The register of `value`: as added, of the op that computes it, or a new
  /// one when it is a constant from outside.
  llvm::Expected<unsigned> find(Value value);
  llvm::Expected<llvm::SmallVector<unsigned>> findAll(ValueRange values);
  /// From here on takes `sum`, of a narrow float, for one that is kept in f32.
  void widen(Operation *sum) { wideSums.insert(sum); }
  /// Gives `value`, from outside of all regions, a number.
  void define(Value value, Scalar number) {
    registers[value] = addConstant(number);
  }
  /// Makes `alias` another name of the register of `value`.
  void alias(Value alias, unsigned reg) { registers[alias] = reg; }

  /// Registers that hold constants and initial values; the size is the number
  /// of registers.
  const std::vector<Scalar> &initial() const { return file; }
  void run(Section section, Scalar *registers) const;

  /// The roundings (ScalarOp::rounding) of all operations of the body that do
  /// not depend on `accumulators`.
  double roundingOfTerms(llvm::ArrayRef<unsigned> accumulators) const;
  /// Iterator numbers (linalg.index) and their registers.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> indices() const {
    return indexRegisters;
  }

private:
  std::vector<Instruction> code[3];
  std::vector<Scalar> file;
  llvm::DenseMap<Value, unsigned> registers;
  llvm::SmallVector<std::pair<unsigned, unsigned>> indexRegisters;
  llvm::SmallPtrSet<Operation *, 2> wideSums;
};

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_VALUES_SCALARPROGRAM_H
