//===- StepCall.cpp - Calls of instructions that are run ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the operands of an instruction that the runtime executes, and writes
// its results.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

using namespace llvm;

namespace tc::emulator {

using Kind = isa::OperandSpec::Kind;
using Operand = ptx::Operand;

static void add(StepOperands &all, const Operand &operand,
                const isa::OperandSpec &spec) {
  if (spec.kind == Kind::Label || spec.kind == Kind::Table ||
      spec.kind == Kind::Call || spec.kind == Kind::Prototype)
    return;
  if (operand.kind == Operand::Kind::Vector ||
      operand.kind == Operand::Kind::Pair) {
    for (const Operand &element : operand.elements)
      add(all, element, spec);
    return;
  }
  if (spec.kind == Kind::FragmentBoth)
    all.results.push_back(&operand);
  if (isDestination(spec))
    all.results.push_back(&operand);
  else if (operand.kind == Operand::Kind::Address) {
    all.sources.push_back({&operand.elements.front(), operand.offset});
    // Of a tensor: where in it.
    for (const Operand &element : ArrayRef(operand.elements).drop_front())
      add(all, element, spec);
  } else
    all.sources.push_back({&operand, 0});
}

StepOperands::StepOperands(const FlatBody &flat, const ptx::Instruction &in) {
  for (auto [operand, spec] : zip(in.operands, in.form->operands))
    add(*this, operand, spec);
  auto addParts = [&](ArrayRef<Operand> variables,
                      SmallVector<unsigned> &parts) {
    for (const Operand &operand : variables) {
      auto part = flat.parts.find({operand.variable, 0});
      if (part != flat.parts.end())
        parts.push_back(part->second);
    }
  };
  addParts(in.arguments, sourceParts);
  addParts(in.results, resultParts);
  if (writesLate(in)) {
    llvm::append_range(sourceParts, flat.lateRegisters);
    llvm::append_range(resultParts, flat.lateRegisters);
  }
}

/// One array of the largest size serves all calls of the function.
Value *Emitter::stepArray(Value *&array) {
  if (!array) {
    uint32_t most = 1;
    for (const Site &site : plan.sites)
      most = std::max({most, site.sources, site.results});
    array = createArray(b.getInt64Ty(), most * warpSize);
  }
  return array;
}

void Emitter::pause(const ptx::Instruction &in) {
  Value *mayGoOn = callOnce("tc_emulator_pause", b.getInt1Ty(),
                            {warpState(), b.getInt32(siteOf(in)), maskBits()});
  continueIf(mayGoOn, faultBlock());
}

void Emitter::touch(const ptx::Instruction &in, Value *condition) {
  Value *lanes = maskBits();
  if (condition && condition->getType()->isVectorTy())
    lanes = b.CreateAnd(lanes, toBits(condition));
  else if (condition)
    lanes = b.CreateSelect(condition, lanes, b.getInt32(0));
  Value *mayGoOn = callOnce("tc_emulator_touch", b.getInt1Ty(),
                            {warpState(), b.getInt32(siteOf(in)), lanes});
  continueIf(mayGoOn, faultBlock());
}

void Emitter::step(const ptx::Instruction &in) {
  StepOperands operands(flat, in);
  Type *i64 = b.getInt64Ty();
  Align align(8);
  bool isThread = translation.mode == Mode::Thread;
  width = isThread ? 1 : warpSize;
  Value *sources = stepArray(stepSources), *results = stepArray(stepResults);
  auto slot = [&](Value *array, unsigned index) {
    Value *row = b.CreateConstInBoundsGEP1_64(i64, array, index * warpSize);
    return isThread ? b.CreateGEP(i64, row, fn->getArg(2)) : row;
  };
  unsigned count = 0;
  for (auto &[operand, offset] : operands.sources) {
    b.CreateAlignedStore(readSum(*operand, offset), slot(sources, count++),
                         align);
  }
  for (unsigned reg : operands.sourceParts)
    b.CreateAlignedStore(b.CreateZExtOrTrunc(readRegister(reg), intType(64)),
                         slot(sources, count++), align);
  Value *done = callOnce(
      "tc_emulator_step", i64,
      {warpState(), b.getInt32(siteOf(in)), maskBits(), sources, results});
  continueIf(b.CreateICmpSGE(done, b.getInt64(0)), faultBlock());
  if (translation.mode == Mode::Masked)
    mask = toLanes(b.CreateTrunc(done, b.getInt32Ty()));
  count = 0;
  Value *outer = guard;
  if (mask)
    guard = mask;
  for (const Operand *operand : operands.results) {
    Value *value =
        b.CreateAlignedLoad(intType(64), slot(results, count++), align);
    if (operand->kind == Operand::Kind::Register)
      writeRegister(operand->reg, value);
  }
  for (unsigned reg : operands.resultParts)
    writeRegister(
        reg, b.CreateAlignedLoad(intType(64), slot(results, count++), align));
  guard = outer;
}

} // namespace tc::emulator
