//===- Rates.cpp - What a machine does in a second ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/CostModel.h"

#include "tc/IR/Scalars.h"

using namespace mlir;
using namespace mlir::tc;

Machine mlir::tc::getRates(MachineAttr attr) {
  auto known = llvm::expectedToOptional(findMachine(attr.getChip()));
  Machine machine = known.value_or(sm80());
  machine.name = known ? known->name : attr.getChip();
  machine.smCount = attr.getMultiprocessors();
  machine.maxThreadsPerBlock = attr.getMaxBlockThreads();
  machine.maxRegistersPerThread = attr.getMaxThreadRegisters();
  machine.registersPerBlock = attr.getBlockRegisters();
  machine.sharedBytesPerBlockOptIn = attr.getBlockSharedBytes();
  return machine;
}

std::pair<StringRef, double> mlir::tc::getRate(Arithmetic unit,
                                               const Machine &machine) {
  switch (unit) {
  case Arithmetic::F32:
    return {"f32", double(machine.f32FmaPerCycle)};
  case Arithmetic::F64:
    return {"f64", double(machine.f64FmaPerCycle)};
  case Arithmetic::F16:
    return {"f16", double(machine.f16FmaPerCycle)};
  case Arithmetic::Integer:
    return {"integer", double(machine.integerPerCycle)};
  }
  llvm_unreachable("closed set");
}

double mlir::tc::countConversionSlots(Type type, Arithmetic unit,
                                      const Machine &machine) {
  if (!type)
    return 0;
  if (isa<Float16Type, BFloat16Type>(type))
    return unit == Arithmetic::F32 ? 1 : 0;
  if (!isF8(type))
    return 0;
  if (machine.hasF8Conversions())
    return 1.5; // two at once, and each half
  return isa<Float8E5M2Type>(type) ? 3 : 8;
}
