//===- GroupRate.cpp - The rate of wgmma ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Count/GroupRate.h"

#include "llvm/ADT/StringSwitch.h"

namespace tc::emulator {

double getGroupRate(const mlir::tc::Machine &machine, llvm::StringRef type) {
  return double(llvm::StringSwitch<int64_t>(type)
                    .Case("f16", machine.f16TensorFmaPerCycle)
                    .Case("tf32", machine.tf32TensorFmaPerCycle)
                    .Cases({"s8", "f8"}, machine.s8TensorFmaPerCycle)
                    .Case("b1", 8 * machine.s8TensorFmaPerCycle)
                    .Default(0));
}

} // namespace tc::emulator
