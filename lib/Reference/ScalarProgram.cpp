//===- ScalarProgram.cpp - Regions of scalar ops, interpreted -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/StringSwitch.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace mlir::tc::reference {

//===----------------------------------------------------------------------===//
// The instructions, and how each passes magnitudes on
//===----------------------------------------------------------------------===//

Scalar add(const Scalar *x, unsigned) {
  return {x[0].value + x[1].value, x[0].magnitude + x[1].magnitude};
}
static Scalar subtract(const Scalar *x, unsigned) {
  return {x[0].value - x[1].value, x[0].magnitude + x[1].magnitude};
}
Scalar multiply(const Scalar *x, unsigned) {
  return {x[0].value * x[1].value, x[0].magnitude * x[1].magnitude};
}
static Scalar divide(const Scalar *x, unsigned) {
  double d = x[1].value;
  return {x[0].value / d, x[0].magnitude * x[1].magnitude / (d * d)};
}
static Scalar multiplyAdd(const Scalar *x, unsigned) {
  return {x[0].value * x[1].value + x[2].value,
          x[0].magnitude * x[1].magnitude + x[2].magnitude};
}
static Scalar negate(const Scalar *x, unsigned) {
  return {-x[0].value, x[0].magnitude};
}
static Scalar absolute(const Scalar *x, unsigned) {
  return {std::fabs(x[0].value), x[0].magnitude};
}
static Scalar same(const Scalar *x, unsigned) { return x[0]; }

/// The larger of two (the NaN, if one is): an error in either passes through.
static Scalar maximum(const Scalar *x, unsigned) {
  double a = x[0].value, b = x[1].value;
  double value = std::isnan(a) || std::isnan(b) ? NAN : std::max(a, b);
  return {value, std::max(x[0].magnitude, x[1].magnitude)};
}
static Scalar minimum(const Scalar *x, unsigned) {
  double a = x[0].value, b = x[1].value;
  double value = std::isnan(a) || std::isnan(b) ? NAN : std::min(a, b);
  return {value, std::max(x[0].magnitude, x[1].magnitude)};
}
/// The same, but a NaN gives the other operand.
static Scalar maximumNumber(const Scalar *x, unsigned) {
  return {std::fmax(x[0].value, x[1].value),
          std::max(x[0].magnitude, x[1].magnitude)};
}
static Scalar minimumNumber(const Scalar *x, unsigned) {
  return {std::fmin(x[0].value, x[1].value),
          std::max(x[0].magnitude, x[1].magnitude)};
}

/// A library function of derivative `slope` there: device libraries are good to
/// a few units in the last place, for which the value counts eightfold.
static Scalar libraryResult(double value, double slope, const Scalar &x) {
  return {value, 8 * std::fabs(value) + std::fabs(slope) * x.magnitude};
}
static Scalar exponential(const Scalar *x, unsigned) {
  double y = std::exp(x[0].value);
  return libraryResult(y, y, x[0]);
}
static Scalar logarithm(const Scalar *x, unsigned) {
  return libraryResult(std::log(x[0].value), 1 / x[0].value, x[0]);
}
static Scalar squareRoot(const Scalar *x, unsigned) {
  double y = std::sqrt(x[0].value);
  return libraryResult(y, y == 0 ? 0 : 0.5 / y, x[0]);
}
static Scalar hyperbolicTangent(const Scalar *x, unsigned) {
  return libraryResult(std::tanh(x[0].value), 1, x[0]);
}
static Scalar errorFunction(const Scalar *x, unsigned) {
  return libraryResult(std::erf(x[0].value), 1.13, x[0]);
}
static Scalar sine(const Scalar *x, unsigned) {
  return libraryResult(std::sin(x[0].value), 1, x[0]);
}
static Scalar cosine(const Scalar *x, unsigned) {
  return libraryResult(std::cos(x[0].value), 1, x[0]);
}

static Scalar truth(bool value) { return {double(value), double(value)}; }

static Scalar compareFloats(const Scalar *x, unsigned code) {
  using P = arith::CmpFPredicate;
  double a = x[0].value, b = x[1].value;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (P(code)) {
  case P::AlwaysFalse:
    return truth(false);
  case P::OEQ:
    return truth(a == b);
  case P::OGT:
    return truth(a > b);
  case P::OGE:
    return truth(a >= b);
  case P::OLT:
    return truth(a < b);
  case P::OLE:
    return truth(a <= b);
  case P::ONE:
    return truth(!unordered && a != b);
  case P::ORD:
    return truth(!unordered);
  case P::UEQ:
    return truth(unordered || a == b);
  case P::UGT:
    return truth(unordered || a > b);
  case P::UGE:
    return truth(unordered || a >= b);
  case P::ULT:
    return truth(unordered || a < b);
  case P::ULE:
    return truth(unordered || a <= b);
  case P::UNE:
    return truth(unordered || a != b);
  case P::UNO:
    return truth(unordered);
  case P::AlwaysTrue:
    return truth(true);
  }
  return truth(false);
}

/// Signed and unsigned alike: indices are not negative here.
static Scalar compareIntegers(const Scalar *x, unsigned code) {
  using P = arith::CmpIPredicate;
  double a = x[0].value, b = x[1].value;
  switch (P(code)) {
  case P::eq:
    return truth(a == b);
  case P::ne:
    return truth(a != b);
  case P::slt:
  case P::ult:
    return truth(a < b);
  case P::sle:
  case P::ule:
    return truth(a <= b);
  case P::sgt:
  case P::ugt:
    return truth(a > b);
  case P::sge:
  case P::uge:
    return truth(a >= b);
  }
  return truth(false);
}

static Scalar select(const Scalar *x, unsigned) {
  return x[0].value != 0 ? x[1] : x[2];
}

/// The function of an op, or null. Conversions between float types are exact:
/// the reference does not imitate intermediate formats.
static ScalarFunction findFunction(StringRef op) {
  return StringSwitch<ScalarFunction>(op)
      .Cases({"arith.addf", "arith.addi"}, add)
      .Cases({"arith.subf", "arith.subi"}, subtract)
      .Cases({"arith.mulf", "arith.muli"}, multiply)
      .Case("arith.divf", divide)
      .Case("arith.negf", negate)
      .Case("arith.maximumf", maximum)
      .Case("arith.minimumf", minimum)
      .Case("arith.maxnumf", maximumNumber)
      .Case("arith.minnumf", minimumNumber)
      .Case("arith.cmpf", compareFloats)
      .Case("arith.cmpi", compareIntegers)
      .Case("arith.select", select)
      .Cases({"arith.extf", "arith.truncf", "arith.sitofp", "arith.uitofp"},
             same)
      .Cases({"arith.index_cast", "arith.extsi", "arith.extui"}, same)
      .Case("math.absf", absolute)
      .Case("math.fma", multiplyAdd)
      .Case("math.exp", exponential)
      .Case("math.log", logarithm)
      .Case("math.sqrt", squareRoot)
      .Case("math.tanh", hyperbolicTangent)
      .Case("math.erf", errorFunction)
      .Case("math.sin", sine)
      .Case("math.cos", cosine)
      .Default(nullptr);
}

//===----------------------------------------------------------------------===//
// Building and running
//===----------------------------------------------------------------------===//

static std::optional<Scalar> constantOf(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  if (!constant)
    return std::nullopt;
  double value;
  if (auto number = dyn_cast<FloatAttr>(constant.getValue()))
    value = number.getValueAsDouble();
  else if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    value = double(number.getValue().getSExtValue());
  else
    return std::nullopt;
  return Scalar{value, std::fabs(value)};
}

unsigned ScalarProgram::addRegister(Value value) {
  unsigned number = file.size();
  file.push_back({});
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
      producer ? constantOf(producer) : std::nullopt;
  if (!constant)
    return createStringError("a region uses a value from outside that is no "
                             "constant");
  unsigned reg = addRegister(value);
  file[reg] = *constant;
  return reg;
}

Error ScalarProgram::append(Operation *op) {
  if (op->getNumResults() != 1)
    return createStringError("op '" + op->getName().getStringRef() +
                             "' has no meaning in the reference evaluation");
  Value result = op->getResult(0);
  if (std::optional<Scalar> constant = constantOf(op)) {
    file[addRegister(result)] = *constant;
    return Error::success();
  }
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    indexRegisters.push_back({index.getDim(), addRegister(result)});
    return Error::success();
  }
  Instruction instruction;
  instruction.function = findFunction(op->getName().getStringRef());
  if (!instruction.function || op->getNumOperands() > 3 ||
      !result.getType().isIntOrIndexOrFloat())
    return createStringError("op '" + op->getName().getStringRef() +
                             "' has no meaning in the reference evaluation");
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    instruction.code = unsigned(compare.getPredicate());
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    instruction.code = unsigned(compare.getPredicate());
  for (Value operand : op->getOperands()) {
    Expected<unsigned> reg = find(operand);
    if (!reg)
      return reg.takeError();
    instruction.arguments[instruction.arity++] = *reg;
  }
  instruction.isFloat = isa<FloatType>(result.getType()) &&
                        instruction.function != same &&
                        instruction.function != select;
  instruction.result = addRegister(result);
  code.push_back(instruction);
  return Error::success();
}

Error ScalarProgram::append(Block &block) {
  for (Operation &op : block.without_terminator())
    if (Error error = append(&op))
      return error;
  return Error::success();
}

unsigned ScalarProgram::append(ScalarFunction function, unsigned lhs,
                               unsigned rhs) {
  Instruction instruction;
  instruction.function = function;
  instruction.arguments[0] = lhs;
  instruction.arguments[1] = rhs;
  instruction.arity = 2;
  instruction.isFloat = true;
  instruction.result = addRegister(nullptr);
  code.push_back(instruction);
  return instruction.result;
}

void ScalarProgram::run(Scalar *registers) const {
  for (const Instruction &instruction : code) {
    Scalar arguments[3];
    for (unsigned i = 0; i != instruction.arity; ++i)
      arguments[i] = registers[instruction.arguments[i]];
    registers[instruction.result] =
        instruction.function(arguments, instruction.code);
  }
}

int64_t ScalarProgram::countRoundings(unsigned accumulator,
                                      bool dependent) const {
  std::vector<bool> depends(file.size(), false);
  depends[accumulator] = true;
  int64_t count = 0;
  for (const Instruction &instruction : code) {
    for (unsigned i = 0; i != instruction.arity; ++i)
      if (depends[instruction.arguments[i]])
        depends[instruction.result] = true;
    if (instruction.isFloat && depends[instruction.result] == dependent)
      ++count;
  }
  return count;
}

} // namespace mlir::tc::reference
