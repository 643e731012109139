//===- ScalarProgram.h - Regions of scalar ops, interpreted -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The body of a structured op as a straight list of instructions over numbered
// registers, each a value with its magnitude. Everything is computed in f64,
// integers and indices too (exact below 2^53).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_REFERENCE_SCALARPROGRAM_H
#define TC_LIB_REFERENCE_SCALARPROGRAM_H

#include "View.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Error.h"

namespace mlir::tc::reference {

/// Computes one scalar from up to three; `code` selects a variant (a
/// predicate).
using ScalarFunction = Scalar (*)(const Scalar *arguments, unsigned code);

struct Instruction {
  ScalarFunction function = nullptr;
  unsigned code = 0;
  unsigned arguments[3] = {0, 0, 0}; ///< registers
  unsigned arity = 0;
  unsigned result = 0;  ///< register
  bool isFloat = false; ///< does it round?
};

class ScalarProgram {
public:
  /// A register for a value that the caller sets.
  unsigned addRegister(Value value);
  /// Appends the ops of `block` but its terminator. Values from outside must
  /// have registers, or be constants.
  llvm::Error append(Block &block);
  /// Appends one op of one result.
  llvm::Error append(Operation *op);
  /// Appends a binary operation; returns the register of its result.
  unsigned append(ScalarFunction function, unsigned lhs, unsigned rhs);

  /// The register of `value`: as added, of the op that computes it, or a new
  /// one when it is a constant from outside.
  llvm::Expected<unsigned> find(Value value);
  /// Makes `alias` another name of the register of `value`.
  void alias(Value alias, unsigned reg) { registers[alias] = reg; }

  /// Registers that hold constants and initial values; the size is the number
  /// of registers.
  const std::vector<Scalar> &initial() const { return file; }
  void run(Scalar *registers) const;

  /// Rounding operations per point that depend on register `accumulator`
  /// (true), or do not (false).
  int64_t countRoundings(unsigned accumulator, bool dependent) const;
  /// Iterator numbers (linalg.index) and their registers.
  llvm::ArrayRef<std::pair<unsigned, unsigned>> indices() const {
    return indexRegisters;
  }

private:
  std::vector<Instruction> code;
  std::vector<Scalar> file;
  llvm::DenseMap<Value, unsigned> registers;
  llvm::SmallVector<std::pair<unsigned, unsigned>> indexRegisters;
};

/// x * y and x + y.
Scalar multiply(const Scalar *arguments, unsigned code);
Scalar add(const Scalar *arguments, unsigned code);

} // namespace mlir::tc::reference

#endif // TC_LIB_REFERENCE_SCALARPROGRAM_H
