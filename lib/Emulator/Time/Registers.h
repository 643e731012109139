//===- Registers.h - Values of a body in machine registers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that only one body knows takes the lowest register that is free, as
// from an assembler: what is loaded into it waits for those that still read
// what was there before.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_TIME_REGISTERS_H
#define TC_LIB_EMULATOR_TIME_REGISTERS_H

#include "Time/Order.h"

namespace tc::emulator {

/// Renames the values of an ordered body. Registers that live into it or out
/// of it, by `liveIn` and `liveOut`, keep their numbers. `widths` are those of
/// the values.
void assignRegisters(Body &body, llvm::ArrayRef<uint8_t> widths,
                     llvm::ArrayRef<uint32_t> liveIn,
                     llvm::ArrayRef<uint32_t> liveOut);

} // namespace tc::emulator

#endif // TC_LIB_EMULATOR_TIME_REGISTERS_H
