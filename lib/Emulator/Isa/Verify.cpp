//===- Verify.cpp - Checks before anything runs ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands against the kinds and types their table row names; labels and calls
// against what the module defines.
//
//===----------------------------------------------------------------------===//

#include "Isa/Verify.h"
#include "Async/Builtins.h"
#include "Isa/Isa.h"
#include "Warp/Matrix.h"

#include "llvm/ADT/Twine.h"

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

namespace {

using Kind = isa::OperandSpec::Kind;

class FunctionVerifier {
public:
  FunctionVerifier(Module &module, Function &function)
      : module(module), function(function) {}

  Error run() {
    for (Instruction &instruction : function.body)
      if (Error error = verifyInstruction(instruction))
        return error;
    return Error::success();
  }

private:
  Error verifyInstruction(Instruction &instruction);
  Error verifyForm(Instruction &instruction);
  Error verifyOperand(Instruction &in, const isa::OperandSpec &spec,
                      const Operand &operand);
  Error verifyRegister(const Instruction &in, const Operand &operand,
                       unsigned bits, bool mayBeWider);
  Error verifySource(const Instruction &in, const Operand &operand, Type type,
                     unsigned bits);
  Error verifyVector(const Instruction &in, const Operand &operand,
                     bool isDest);
  Error verifyFragment(const Instruction &in, const Operand &operand,
                       bool isDest);
  Error verifyMove(const Instruction &in, const Operand &operand, bool isDest);
  Error verifyPredicate(const Instruction &in, const Operand &operand,
                        bool isDest);
  Error verifyAddress(const Instruction &in, const Operand &operand);
  Error verifyBase(const Instruction &in, const Operand &base);
  Error verifyCall(Instruction &in);
  Error verifyPrototype(Instruction &in, const Operand &operand);
  Error verifySizes(const Instruction &in, llvm::ArrayRef<Operand> actual,
                    llvm::ArrayRef<uint64_t> sizes, StringRef name);
  Error verifyBuiltin(const Instruction &in);
  Error verifyCallList(const Instruction &in, llvm::ArrayRef<Operand> actual,
                       llvm::ArrayRef<Variable *> formal, StringRef what);
  Error addTarget(Instruction &in, StringRef label);
  void resolveFunction(Operand &operand);

  Error fail(const Instruction &in, const Twine &message) {
    return makeError(in.line, "'" + in.getOpcode() + "': " + message);
  }

  Module &module;
  Function &function;
};

/// The function of that name, whose address is taken from now on; or null.
Function *takeAddress(Module &module, StringRef name) {
  const Function *found = module.findFunction(name);
  for (Function &function : module.functions)
    if (&function == found) {
      function.isAddressTaken = true;
      return &function;
    }
  return nullptr;
}

size_t getLeastOperands(llvm::ArrayRef<isa::OperandSpec> specs) {
  while (!specs.empty() && specs.back().isOptional)
    specs = specs.drop_back();
  return specs.size();
}

bool hasOperandCount(const Instruction &in) {
  const std::vector<isa::OperandSpec> &specs = in.form->operands;
  size_t got = in.operands.size();
  return got >= getLeastOperands(specs) && got <= specs.size();
}

} // namespace

std::pair<Type, unsigned> getOperandType(const Instruction &in,
                                         const isa::OperandSpec &spec) {
  if (spec.type == "wide")
    return {in.type, 2 * getBits(in.type)};
  Type type = in.type;
  if (!spec.type.empty()) {
    StringRef bound = in.get(spec.type);
    type = *findType(bound.empty() ? spec.type : bound);
  }
  return {type, getBits(type)};
}

Error FunctionVerifier::verifyInstruction(Instruction &in) {
  if (Error error = isa::resolve(in))
    return error;
  Error error = verifyForm(in);
  bool isCounted = hasOperandCount(in);
  while (error && isa::resolveNext(in)) {
    Error other = verifyForm(in);
    // A row with another number of operands has less to say.
    if (!other || (!isCounted && hasOperandCount(in)))
      std::swap(error, other);
    isCounted |= hasOperandCount(in);
    llvm::consumeError(std::move(other));
  }
  if (!error && in.root == "mov")
    resolveFunction(in.operands[1]);
  return error;
}

/// The address of a function is a constant.
void FunctionVerifier::resolveFunction(Operand &operand) {
  if (operand.kind != Operand::Kind::Name)
    return;
  operand.kind = Operand::Kind::Immediate;
  operand.bits = takeAddress(module, operand.name)->getAddress();
}

Error FunctionVerifier::verifyForm(Instruction &in) {
  resolveMatrix(in);
  const std::vector<isa::OperandSpec> &specs = in.form->operands;
  if (specs.size() == 1 && specs[0].kind == Kind::Call)
    return verifyCall(in);
  size_t least = getLeastOperands(specs), got = in.operands.size();
  if (!hasOperandCount(in))
    return fail(in, "expected " + Twine(least) +
                        (least < specs.size() ? " or more" : "") +
                        " operands, got " + Twine(got));
  for (size_t i = 0; i < got; ++i)
    if (Error error = verifyOperand(in, specs[i], in.operands[i]))
      return error;
  if (in.root == "wmma" && !in.has("aligned") &&
      std::make_pair(module.major, module.minor) >= std::make_pair(6u, 3u))
    return fail(in, "'.aligned' is required since PTX 6.3");
  if (in.root == "wgmma")
    if (Error error = verifyWarpgroup(in, module))
      return error;
  if (in.root == "tensormap" ||
      (in.root == "fence" && in.has("tensormap::generic")))
    if (Error error = verifyTensorMap(in, module))
      return error;
  bool isAsync = in.has("async") && (in.root == "st" || in.root == "red");
  if (isAsync || (in.root == "cp" && in.has("bulk")))
    if (Error error = verifyBulk(in, module))
      return error;
  return verifyRules(in, function);
}

Error FunctionVerifier::verifyOperand(Instruction &in,
                                      const isa::OperandSpec &spec,
                                      const Operand &operand) {
  auto [type, bits] = getOperandType(in, spec);
  switch (spec.kind) {
  case Kind::Dest:
    if (operand.kind == Operand::Kind::Sink)
      return Error::success();
    return verifyRegister(in, operand, bits, in.root == "cvt");
  case Kind::Source:
    return verifySource(in, operand, type, bits);
  case Kind::PredicateDest:
    return verifyPredicate(in, operand, true);
  case Kind::PredicateSource:
    return verifyPredicate(in, operand, false);
  case Kind::DestPair:
    if (operand.kind != Operand::Kind::Pair) {
      if (operand.kind == Operand::Kind::Sink)
        return fail(in, "expected a register");
      return verifyRegister(in, operand, bits, false);
    }
    if (operand.elements[0].kind != Operand::Kind::Sink)
      if (Error error = verifyRegister(in, operand.elements[0], bits, false))
        return error;
    return verifyPredicate(in, operand.elements[1], true);
  case Kind::FragmentDest:
  case Kind::FragmentSource:
  case Kind::FragmentBoth:
    return verifyFragment(in, operand, spec.kind == Kind::FragmentDest);
  case Kind::VectorDest:
  case Kind::VectorSource:
    return verifyVector(in, operand, spec.kind == Kind::VectorDest);
  case Kind::MoveDest:
  case Kind::MoveSource:
    return verifyMove(in, operand, spec.kind == Kind::MoveDest);
  case Kind::Constant:
    if (operand.kind == Operand::Kind::Immediate &&
        operand.literal == Operand::Literal::Integer)
      return Error::success();
    return fail(in, "expected an integer constant");
  case Kind::Address:
    return verifyAddress(in, operand);
  case Kind::TensorAddress:
    if (Error error = verifyCoordinates(in, operand, function))
      return error;
    return verifyBase(in, operand.elements.front());
  case Kind::Im2colOffsets:
    return verifyOffsets(in, operand, function);
  case Kind::Label:
    if (operand.kind == Operand::Kind::Name)
      return addTarget(in, operand.name);
    return fail(in, "expected a label");
  case Kind::Table: {
    auto table = function.branchTables.find(operand.name);
    if (table == function.branchTables.end())
      return fail(in, "expected a label of '.branchtargets', got '" +
                          operand.name + "'");
    for (StringRef label : table->second)
      if (Error error = addTarget(in, label))
        return error;
    return Error::success();
  }
  case Kind::Prototype:
    return verifyPrototype(in, operand);
  case Kind::Call:
    return Error::success();
  }
  return Error::success();
}

Error FunctionVerifier::verifyRegister(const Instruction &in,
                                       const Operand &operand, unsigned bits,
                                       bool mayBeWider) {
  if (operand.kind != Operand::Kind::Register)
    return fail(in, "expected a register");
  if (operand.negated && bits != 1)
    return fail(in, "'!' needs a predicate");
  const Register &reg = function.registers[operand.reg];
  unsigned got = getBits(reg.type);
  if (got == bits || (mayBeWider && got > bits && bits != 1))
    return Error::success();
  return fail(in, "expected a register of " + Twine(bits) + " bits, got '" +
                      reg.name + "' of " + Twine(got));
}

Error FunctionVerifier::verifySource(const Instruction &in,
                                     const Operand &operand, Type type,
                                     unsigned bits) {
  switch (operand.kind) {
  case Operand::Kind::Register:
    return verifyRegister(in, operand, bits,
                          in.root == "cvt" || in.root == "st");
  case Operand::Kind::Immediate:
    if (isFloat(type) && operand.literal == Operand::Literal::Integer)
      return fail(in, "expected a floating-point constant");
    if (operand.literal != Operand::Literal::Integer &&
        (isSigned(type) || getName(type).starts_with("u") || bits < 32))
      return fail(in, "expected an integer constant");
    return Error::success();
  case Operand::Kind::Special:
    // The one register that is a predicate.
    if (operand.special == Special::IsExplicitCluster)
      return type == Type::Pred
                 ? Error::success()
                 : fail(in, "expected .pred for '" + operand.name + "'");
    if (isFloat(type) || bits < 32)
      return fail(in, "expected an integer type for a special register");
    return Error::success();
  default:
    return fail(in, "expected a register or a constant");
  }
}

Error FunctionVerifier::verifyPredicate(const Instruction &in,
                                        const Operand &operand, bool isDest) {
  if (isDest && operand.kind == Operand::Kind::Pair) {
    for (const Operand &element : operand.elements)
      if (Error error = verifyPredicate(in, element, true))
        return error;
    return Error::success();
  }
  if (isDest && operand.kind == Operand::Kind::Sink)
    return Error::success();
  if (isDest && operand.negated)
    return fail(in, "a destination cannot be negated");
  if (!isDest && operand.kind == Operand::Kind::Immediate)
    return Error::success();
  return verifyRegister(in, operand, 1, false);
}

/// What `ld` and `st` move: one value, or as many as `.v2`, `.v4` say.
Error FunctionVerifier::verifyVector(const Instruction &in,
                                     const Operand &operand, bool isDest) {
  unsigned bits = getBits(in.type), count = 1;
  in.get("Vec").drop_front(in.has("Vec")).getAsInteger(10, count);
  llvm::ArrayRef<Operand> elements = operand;
  if (operand.kind == Operand::Kind::Vector)
    elements = operand.elements;
  if (elements.size() != count)
    return fail(in, "expected " + Twine(count) + " values, got " +
                        Twine(elements.size()));
  for (const Operand &element : elements) {
    if (isDest && element.kind == Operand::Kind::Sink)
      continue;
    if (Error error = isDest ? verifyRegister(in, element, bits, true)
                             : verifySource(in, element, in.type, bits))
      return error;
  }
  return Error::success();
}

/// As many registers as the shape and the type of the matrix take.
Error FunctionVerifier::verifyFragment(const Instruction &in,
                                       const Operand &operand, bool isDest) {
  auto [count, bits] = in.matrix->operands[&operand - in.operands.data()];
  if (operand.kind != Operand::Kind::Vector)
    return fail(in, "expected a vector of " + Twine(count) + " registers");
  if (operand.elements.size() != count)
    return fail(in, "expected " + Twine(count) + " registers, got " +
                        Twine(operand.elements.size()));
  for (const Operand &element : operand.elements)
    if (!(isDest && element.kind == Operand::Kind::Sink))
      if (Error error = verifyRegister(in, element, bits, false))
        return error;
  return Error::success();
}

Error FunctionVerifier::verifyMove(const Instruction &in,
                                   const Operand &operand, bool isDest) {
  unsigned bits = getBits(in.type);
  if (operand.kind == Operand::Kind::Vector) {
    unsigned count = operand.elements.size();
    if (isFloat(in.type) || bits % count || bits / count < 8)
      return fail(in,
                  "cannot split " + Twine(bits) + " bits into " + Twine(count));
    for (const Operand &element : operand.elements) {
      if (isDest && element.kind == Operand::Kind::Sink)
        continue;
      if (Error error = isDest
                            ? verifyRegister(in, element, bits / count, false)
                            : verifySource(in, element, in.type, bits / count))
        return error;
    }
    return Error::success();
  }
  if (isDest)
    return verifyRegister(in, operand, bits, false);
  if (operand.kind == Operand::Kind::Variable) {
    // The addresses of the others are the host's, and need 64 bits. Constants
    // lie low, and parameters do where a kernel takes their addresses as 32
    // bits.
    Space space = operand.variable->space;
    bool isSmall = space == Space::Shared || space == Space::Local ||
                   space == Space::Const || space == Space::Param;
    if (bits != 64 && !(bits == 32 && isSmall))
      return fail(in, "expected 64 bits for an address in ." + getName(space));
    return Error::success();
  }
  if (operand.kind == Operand::Kind::Name) {
    const Function *named = module.findFunction(operand.name);
    if (!named)
      return fail(in, "'" + operand.name + "' is not declared");
    if (named->isEntry)
      return fail(in, "the address of the kernel '" + operand.name +
                          "' is not covered");
    if (bits != 64)
      return fail(in, "expected 64 bits for the address of a function");
    return Error::success();
  }
  return verifySource(in, operand, in.type, bits);
}

Error FunctionVerifier::verifyAddress(const Instruction &in,
                                      const Operand &operand) {
  if (operand.kind != Operand::Kind::Address)
    return fail(in, "expected an address in brackets");
  if (operand.elements.size() != 1)
    return fail(in, "expected an address without coordinates");
  return verifyBase(in, operand.elements.front());
}

Error FunctionVerifier::verifyBase(const Instruction &in, const Operand &base) {
  switch (base.kind) {
  case Operand::Kind::Register: {
    unsigned bits = getBits(function.registers[base.reg].type);
    if (base.negated || (bits != 64 && bits != 32))
      return fail(in, "expected an address of 32 or 64 bits, got '" +
                          base.name + "'");
    return Error::success();
  }
  case Operand::Kind::Variable:
    if (base.variable->isExternal)
      return fail(in, "'" + base.name + "' is defined in no module");
    return Error::success();
  case Operand::Kind::Immediate:
    return Error::success();
  default:
    return fail(in, "'" + base.name + "' is not declared");
  }
}

Error FunctionVerifier::addTarget(Instruction &in, StringRef label) {
  auto found = function.labels.find(label);
  if (found == function.labels.end())
    return fail(in, "label '" + label + "' is not defined");
  in.targets.push_back(found->second);
  return Error::success();
}

static std::vector<uint64_t> getSizes(llvm::ArrayRef<Variable *> list) {
  std::vector<uint64_t> sizes;
  for (const Variable *variable : list)
    sizes.push_back(variable->bytes);
  return sizes;
}

Error FunctionVerifier::verifyPrototype(Instruction &in,
                                        const Operand &operand) {
  auto found = function.prototypes.find(operand.name);
  if (operand.kind != Operand::Kind::Name || found == function.prototypes.end())
    return fail(in, "expected a label of '.callprototype' or '.calltargets', "
                    "got '" +
                        operand.name + "'");
  Prototype &prototype = found->second;
  for (StringRef name : prototype.targets) {
    const Function *target = module.findFunction(name);
    if (!target || !target->hasBody || target->isEntry)
      return fail(in, "'" + name + "' of '" + operand.name +
                          "' is no function that is defined");
    prototype.results = getSizes(target->results);
    prototype.parameters = getSizes(target->parameters);
    for (auto [list, sizes] : {std::pair(&in.results, &prototype.results),
                               std::pair(&in.arguments, &prototype.parameters)})
      if (Error error = verifySizes(in, *list, *sizes, name))
        return error;
  }
  if (Error error =
          verifySizes(in, in.results, prototype.results, operand.name))
    return error;
  return verifySizes(in, in.arguments, prototype.parameters, operand.name);
}

/// What a call through a register passes against what its prototype says.
Error FunctionVerifier::verifySizes(const Instruction &in,
                                    llvm::ArrayRef<Operand> actual,
                                    llvm::ArrayRef<uint64_t> sizes,
                                    StringRef name) {
  if (actual.size() != sizes.size())
    return fail(in, "expected " + Twine(sizes.size()) +
                        " parameters or results for '" + name + "', got " +
                        Twine(actual.size()));
  for (auto [operand, bytes] : llvm::zip(actual, sizes)) {
    if (operand.kind != Operand::Kind::Variable ||
        operand.variable->space != Space::Param)
      return fail(in, "expected .param variables");
    if (operand.variable->bytes != bytes)
      return fail(in, "expected " + Twine(bytes) + " bytes for '" + name +
                          "', got " + Twine(operand.variable->bytes));
  }
  return Error::success();
}

Error FunctionVerifier::verifyCall(Instruction &in) {
  if (!in.operands.empty())
    return fail(in, "expected a function");
  in.target = module.findFunction(in.callee);
  if (!in.target)
    return fail(in, "function '" + in.callee + "' is not declared");
  if (!in.target->hasBody)
    if (Error error = verifyBuiltin(in))
      return error;
  if (in.target->isEntry)
    return fail(in, "kernel '" + in.callee + "' cannot be called");
  if (Error error =
          verifyCallList(in, in.results, in.target->results, "results"))
    return error;
  return verifyCallList(in, in.arguments, in.target->parameters, "arguments");
}

/// A function without a body must be one that the runtime has, with parameters
/// of the same sizes.
Error FunctionVerifier::verifyBuiltin(const Instruction &in) {
  const Builtin *builtin = findBuiltin(in.callee);
  if (!builtin)
    return fail(in, "function '" + in.callee + "' is defined in no module");
  auto bytes = [](llvm::ArrayRef<Variable *> list) {
    llvm::SmallVector<uint32_t, 5> sizes;
    for (const Variable *variable : list)
      sizes.push_back(variable->bytes);
    return sizes;
  };
  llvm::SmallVector<uint32_t, 5> results;
  if (builtin->resultBytes)
    results.push_back(builtin->resultBytes);
  if (bytes(in.target->results) != results ||
      bytes(in.target->parameters) != builtin->parameterBytes)
    return fail(in, "'" + in.callee +
                        "' is declared with other parameters than the "
                        "runtime's function has");
  return Error::success();
}

Error FunctionVerifier::verifyCallList(const Instruction &in,
                                       llvm::ArrayRef<Operand> actual,
                                       llvm::ArrayRef<Variable *> formal,
                                       StringRef what) {
  if (actual.size() != formal.size())
    return fail(in, "expected " + Twine(formal.size()) + " " + what + ", got " +
                        Twine(actual.size()));
  for (auto [operand, variable] : llvm::zip(actual, formal)) {
    if (operand.kind != Operand::Kind::Variable ||
        operand.variable->space != Space::Param)
      return fail(in, "expected .param variables as " + what);
    if (operand.variable->bytes != variable->bytes)
      return fail(in, "expected " + Twine(variable->bytes) + " bytes for '" +
                          variable->name + "', got " +
                          Twine(operand.variable->bytes));
  }
  return Error::success();
}

/// The functions that the call through a register `in` may reach: those whose
/// address is taken and that it passes the right parameters to.
static void findCallees(const Module &module, const Function &function,
                        Instruction &in) {
  const Prototype &prototype =
      function.prototypes.find(in.operands[1].name)->second;
  auto add = [&](const Function &callee) {
    if (!llvm::is_contained(in.callees, &callee))
      in.callees.push_back(&callee);
  };
  for (StringRef name : prototype.targets)
    add(*module.findFunction(name));
  for (const Function &callee : module.functions)
    if (!prototype.isList && callee.isAddressTaken && callee.hasBody &&
        getSizes(callee.results) == prototype.results &&
        getSizes(callee.parameters) == prototype.parameters)
      add(callee);
}

Error verify(Module &module) {
  for (const Variable &variable : module.variables)
    for (const Relocation &relocation : variable.relocations)
      takeAddress(module, relocation.symbol);
  for (Function &function : module.functions)
    if (Error error = FunctionVerifier(module, function).run())
      return error;
  for (Function &function : module.functions)
    for (Instruction &in : function.body)
      if (in.root == "call" && !in.operands.empty())
        findCallees(module, function, in);
  return Error::success();
}

} // namespace tc::emulator::ptx
