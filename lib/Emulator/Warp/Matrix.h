//===- Matrix.h - What a matrix instruction computes ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The modifiers of `mma`, `wmma`, `ldmatrix` and `stmatrix` made ready: shapes,
// types, and how many registers each operand has.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_WARP_MATRIX_H
#define TC_LIB_EMULATOR_WARP_MATRIX_H

#include "Warp/Fragment.h"

namespace tc::emulator {

/// Registers of one operand: `count` of `bits` each. No fragment has 0.
struct RegisterCount {
  unsigned count = 0, bits = 32;
};

struct MatrixForm {
  /// How elements are multiplied and added.
  enum class Arithmetic : uint8_t { Real, Integer, Xor, And };

  Arithmetic arithmetic = Arithmetic::Real;
  bool isSaturated = false;
  /// Of the memory: `.row`, or `.col`.
  bool isRowMajor = true;
  warp::Fragment a, b, c, d; ///< d alone for what only loads or stores
  llvm::SmallVector<RegisterCount, 4> operands; ///< by the operand's index

  /// Of `wgmma`, the columns of the whole; the fragments have at most
  /// `groupColumns`. `tail` has those that are left, if any.
  unsigned columns = 0;
  static constexpr unsigned groupColumns = 32;
  std::shared_ptr<const MatrixForm> tail;
};

/// Fills `instruction.matrix` if its row has fragments. The forms live as long
/// as the program.
void resolveMatrix(ptx::Instruction &instruction);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_WARP_MATRIX_H
