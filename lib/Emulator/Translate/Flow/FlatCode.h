//===- FlatCode.h - Parts of a flat body ---------------------------*- C++
//-*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that no PTX text says, and which `.param` variables of a flat
// body may be registers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATCODE_H
#define TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATCODE_H

#include "Translate/Flow/Flatten.h"

#include "llvm/ADT/SetVector.h"

namespace tc::emulator {

/// What one access by name takes of a variable.
struct Part {
  uint32_t offset, bytes;
  bool operator==(const Part &o) const {
    return offset == o.offset && bytes == o.bytes;
  }
};
using Parts = std::vector<Part>;

/// Adds the parts that `in`, a load or a store, accesses by name.
void addParts(const ptx::Instruction &in, Parts &parts);

/// b8 to b128.
ptx::Type getBitsType(unsigned bytes);

ptx::Operand makeRegister(unsigned reg);
ptx::Operand makeNumber(uint64_t bits);
ptx::Operand makeVariable(const ptx::Variable *variable);
ptx::Operand makeAddress(ptx::Operand base, int64_t offset);
/// An instruction that stands at the place of `like`.
ptx::Instruction makeInstruction(const ptx::Instruction &like,
                                 llvm::StringRef root,
                                 llvm::ArrayRef<llvm::StringRef> modifiers,
                                 std::vector<ptx::Operand> operands);
/// A jump with the guard of `like`; its targets are yet to be set.
ptx::Instruction makeJump(const ptx::Instruction &like);

/// Gives registers to the parts of `.param` variables that every access agrees
/// on, and takes such variables out of `variables`; the rest are the body's.
void promoteParameters(FlatBody &flat,
                       llvm::SetVector<const ptx::Variable *> &variables);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TRANSLATE_FLOW_FLATCODE_H
