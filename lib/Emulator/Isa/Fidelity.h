//===- Fidelity.h - How closely instructions are executed -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums up what the rows of a kernel's instructions say of their fidelity.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_ISA_FIDELITY_H
#define TC_LIB_EMULATOR_ISA_FIDELITY_H

#include "Ptx/Ptx.h"

#include "tc/Emulator/Report.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace tc::emulator::isa {

/// The fidelity of those instructions that `isTaken`, by lines. `isHardware`
/// says how matrix instructions add (LaunchOptions::arithmetic).
Fidelity getFidelity(llvm::ArrayRef<ptx::Instruction> instructions,
                     bool isHardware,
                     llvm::function_ref<bool(unsigned line)> isTaken);

} // namespace tc::emulator::isa

#endif // TC_LIB_EMULATOR_ISA_FIDELITY_H
