//===- Machine.cpp - The machine of a known chip --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Machine.h"

#include "tc/IR/TC.h"

using namespace mlir;
using namespace mlir::tc;

FailureOr<MachineAttr>
MachineAttr::getKnown(MLIRContext *context, StringRef chip,
                      function_ref<InFlightDiagnostic()> emitError) {
  llvm::Expected<Machine> machine = findMachine(chip);
  if (!machine)
    return emitError() << llvm::toString(machine.takeError());
  return MachineAttr::get(
      context, machine->name, machine->smCount, machine->warpSize,
      machine->maxThreadsPerBlock, machine->maxRegistersPerThread,
      machine->registersPerBlock, machine->sharedBytesPerBlock);
}
