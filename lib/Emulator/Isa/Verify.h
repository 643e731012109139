//===- Verify.h - Checks before anything runs -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Resolves every instruction of a module against the instruction table and
// checks its operands, so that the translator may rely on them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ISA_VERIFY_H
#define TC_LIB_EMULATOR_ISA_VERIFY_H

#include "Isa/Isa.h"

namespace tc::emulator::ptx {

/// Fills what Ptx.h says the verifier fills. The error names the instruction,
/// its line, and what was expected.
llvm::Error verify(Module &module);

/// The type of an operand and its width in bits, which `:wide` doubles.
std::pair<Type, unsigned> getOperandType(const Instruction &instruction,
                                         const isa::OperandSpec &spec);

/// Rules that the table's notation cannot say: rounding of conversions, bounds
/// of direct parameter accesses, vector sizes, barrier numbers
/// (VerifyRules.cpp).
llvm::Error verifyRules(const Instruction &instruction,
                        const Function &function);

/// The rules of `wgmma` (VerifyWarpgroup.cpp).
llvm::Error verifyWarpgroup(const Instruction &instruction,
                            const Module &module);

/// The rules of bulk copies, and of the operands that name parts of tensors
/// (VerifyBulk.cpp).
llvm::Error verifyBulk(const Instruction &instruction, const Module &module);
llvm::Error verifyTensorMap(const Instruction &instruction,
                            const Module &module);
llvm::Error verifyCoordinates(const Instruction &instruction,
                              const Operand &operand, const Function &function);
llvm::Error verifyOffsets(const Instruction &instruction,
                          const Operand &operand, const Function &function);

} // namespace tc::emulator::ptx

#endif // TC_LIB_EMULATOR_ISA_VERIFY_H
