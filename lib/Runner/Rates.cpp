//===- Rates.cpp - A chip's rates for the counted time --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Rates.h"

using ::tc::emulator::MachineRates;

namespace mlir::tc {

MachineRates ratesOf(const Machine &machine) {
  MachineRates rates;
  rates.name = machine.name.str();
  rates.clockHz = machine.clockHz;
  rates.smCount = machine.smCount;
  rates.f32 = machine.f32FmaPerCycle;
  rates.f64 = machine.f64FmaPerCycle;
  rates.mmaF64 = machine.f64TensorFmaPerCycle;
  rates.mmaF16 = machine.f16TensorFmaPerCycle;
  rates.mmaTF32 = machine.tf32TensorFmaPerCycle;
  rates.mmaS8 = machine.s8TensorFmaPerCycle;
  rates.launchSeconds = machine.launchSeconds;
  rates.l2Bytes = machine.l2Bytes;
  rates.l2BytesPerSecond = machine.l2BytesPerSecond;
  rates.dramBytesPerSecond = machine.dramBytesPerSecond;
  return rates;
}

} // namespace mlir::tc
