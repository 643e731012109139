//===- MachineAttr.cpp - #tc.machine --------------------------------------===//
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
      machine->registersPerBlock, machine->sharedBytesPerBlockOptIn);
}

FailureOr<MachineAttr> MachineAttr::find(Operation *op, StringRef chip) {
  auto helper = TCDialect::MachineAttrHelper(op->getContext());
  if (chip.empty())
    for (Operation *scope = op; scope; scope = scope->getParentOp())
      if (MachineAttr machine = helper.getAttr(scope))
        return machine;
  return getKnown(op->getContext(),
                  chip.empty() ? StringRef(kDefaultChip) : chip,
                  [&] { return op->emitError(); });
}

/// Of a chip of which nothing is known, no.
static bool has(StringRef chip, bool (Machine::*instruction)() const) {
  auto known = llvm::expectedToOptional(findMachine(chip));
  return known && (*known.*instruction)();
}

bool MachineAttr::hasAsyncCopies() const {
  return has(getChip(), &Machine::hasAsyncCopies);
}

bool MachineAttr::hasSignedMinimum() const {
  return has(getChip(), &Machine::hasSignedMinimum);
}

bool MachineAttr::hasRoundingToTf32() const {
  return has(getChip(), &Machine::hasRoundingToTf32);
}

bool MachineAttr::hasF8Conversions() const {
  return has(getChip(), &Machine::hasF8Conversions);
}

bool MachineAttr::hasClusters() const {
  return has(getChip(), &Machine::hasClusters);
}

MachineAttr MachineAttr::withSharedBytes(int64_t bytes) const {
  return MachineAttr::get(getContext(), getChip(), getMultiprocessors(),
                          getWarpSize(), getMaxBlockThreads(),
                          getMaxThreadRegisters(), getBlockRegisters(), bytes);
}

std::optional<std::string>
MachineAttr::findInstructionProblem(const MmaShape &shape) const {
  auto known = llvm::expectedToOptional(findMachine(getChip()));
  if (known && known->computeCapability >= shape.computeCapability)
    return std::nullopt;
  return ("expected an instruction that " + getChip() + " has, got " +
          shape.name + ", which is of sm_" + Twine(shape.computeCapability) +
          " and later")
      .str();
}

std::optional<std::string> MachineAttr::findSharedProblem(int64_t bytes) const {
  int64_t most = getBlockSharedBytes();
  if (bytes <= most)
    return std::nullopt;
  return ("expected at most " + Twine(most) + " bytes of shared memory on " +
          getChip() + ", got " + Twine(bytes))
      .str();
}

LogicalResult MachineAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringRef chip, int64_t multiprocessors,
                                  int64_t warpSize, int64_t maxBlockThreads,
                                  int64_t maxThreadRegisters,
                                  int64_t blockRegisters,
                                  int64_t blockSharedBytes) {
  for (int64_t value : {multiprocessors, warpSize, maxBlockThreads,
                        maxThreadRegisters, blockRegisters, blockSharedBytes})
    if (value < 1) // machine_limit
      return emitError() << "expected each limit to be at least 1, got "
                         << value;
  return success();
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr, int64_t index,
                                  int64_t alignment) {
  if (index != 32 && index != 64) // variant_index
    return emitError() << "expected indices of 32 or 64 bits, got " << index;
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment)) // variant_alignment
    return emitError() << "expected the alignment to be a power of two, got "
                       << alignment;
  return success();
}
