//===- ScalarProgram.cpp - Regions of scalar ops, interpreted -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Values/ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace llvm;

namespace mlir::tc::reference {

Error createNoMeaningError(Operation *op) {
  return createStringError("op '" + op->getName().getStringRef() +
                           "' has no meaning in the reference evaluation");
}

std::optional<Scalar> findConstant(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return findScalar(constant.getValue());
  if (auto constant = dyn_cast<complex::ConstantOp>(op))
    return findScalar(constant.getValue());
  return std::nullopt;
}

unsigned ScalarProgram::addConstant(Scalar constant) {
  file.push_back(constant);
  return file.size() - 1;
}

unsigned ScalarProgram::addRegister(Value value) {
  unsigned number = addConstant({});
  if (value)
    registers[value] = number;
  return number;
}

Expected<unsigned> ScalarProgram::find(Value value) {
  auto known = registers.find(value);
  if (known != registers.end())
    return known->second;
  Operation *producer = value.getDefiningOp();
  std::optional<Scalar> constant =
      producer ? findConstant(producer) : std::nullopt;
  if (!constant)
    return createStringError("a region uses a value from outside that is no "
                             "constant");
  unsigned reg = addConstant(*constant);
  registers[value] = reg;
  return reg;
}

Expected<SmallVector<unsigned>> ScalarProgram::findAll(ValueRange values) {
  SmallVector<unsigned> found;
  for (Value value : values)
    if (Error error = find(value).moveInto(found.emplace_back()))
      return error;
  return found;
}

unsigned ScalarProgram::append(const ScalarOp &op,
                               ArrayRef<unsigned> arguments) {
  Instruction instruction{op, SmallVector<unsigned, 3>(arguments),
                          addRegister()};
  code[section].push_back(instruction);
  return instruction.result;
}

void ScalarProgram::appendCopy(unsigned from, unsigned to) {
  append(getCopy(), {from});
  code[section].back().result = to;
}

Error ScalarProgram::append(Operation *op) {
  if (std::optional<Scalar> constant = findConstant(op)) {
    registers[op->getResult(0)] = addConstant(*constant);
    return Error::success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indexRegisters.push_back({index.getDim(), addRegister(index.getResult())});
    return Error::success();
  }
  std::optional<ScalarOp> scalar = findScalarOp(op);
  if (wideSums.contains(op))
    scalar = getSum(Float32Type::get(op->getContext()));
  if (!scalar)
    return createNoMeaningError(op);
  Expected<SmallVector<unsigned>> arguments = findAll(op->getOperands());
  if (!arguments)
    return arguments.takeError();
  registers[op->getResult(0)] = append(*scalar, *arguments);
  return Error::success();
}

Error ScalarProgram::append(Operation *op, Computation computation) {
  Instruction instruction{{}, {}, 0, std::move(computation)};
  for (Value operand : op->getOperands()) {
    if (!operand.getType().isIntOrIndexOrFloat())
      continue;
    Expected<unsigned> argument = find(operand);
    if (!argument)
      return argument.takeError();
    instruction.arguments.push_back(*argument);
  }
  instruction.result = addRegister(op->getResult(0));
  code[section].push_back(std::move(instruction));
  return Error::success();
}

Error ScalarProgram::append(Block &block,
                            function_ref<Computation(Operation *)> find) {
  for (Operation &op : block.without_terminator()) {
    Computation computation = find ? find(&op) : nullptr;
    if (Error error =
            computation ? append(&op, std::move(computation)) : append(&op))
      return error;
  }
  return Error::success();
}

void Instruction::run(Scalar *registers) const {
  if (computation) {
    registers[result] = computation(llvm::map_to_vector(
        arguments, [&](unsigned reg) { return registers[reg]; }));
    return;
  }
  Scalar values[3];
  for (unsigned i = 0; i != arguments.size(); ++i)
    values[i] = registers[arguments[i]];
  registers[result] = op.apply({values, arguments.size()});
}

void ScalarProgram::run(Section which, Scalar *registers) const {
  for (const Instruction &instruction : code[which])
    instruction.run(registers);
}

double ScalarProgram::roundingOfTerms(ArrayRef<unsigned> accumulators) const {
  std::vector<bool> depends(file.size(), false);
  for (unsigned accumulator : accumulators)
    depends[accumulator] = true;
  double total = 0;
  for (const Instruction &instruction : code[body])
    if (llvm::any_of(instruction.arguments,
                     [&](unsigned reg) { return depends[reg]; }))
      depends[instruction.result] = true;
    else
      total += instruction.op.rounding();
  return total;
}

} // namespace mlir::tc::reference
