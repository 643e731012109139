//===- ParseBody.cpp - Function bodies ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Statements inside functions: declarations, labels and instructions with their
// operands (PTX ISA, sections 4.3, 5 and 6).
//
//===----------------------------------------------------------------------===//

#include "Ptx/ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

Error Parser::parseBody(Function &body) {
  function = &body;
  if (Error error = expect('{', "to open the function"))
    return error;
  size_t outer = outerScopes = scopes.size();
  scopes.emplace_back();
  while (scopes.size() > outer) {
    if (peek().kind == Token::Kind::End)
      return makeError(body.line,
                       "function '" + body.name + "' is not closed by '}'");
    if (Error error = parseStatement())
      return error;
  }
  function = nullptr;
  return Error::success();
}

Error Parser::parseStatement() {
  if (accept(';'))
    return Error::success();
  if (accept('{')) {
    scopes.emplace_back();
    scopes.back().first = function->body.size();
    return Error::success();
  }
  if (accept('}')) {
    bindLabels(scopes.back());
    scopes.pop_back();
    return Error::success();
  }
  if (peek().isDotted())
    return parseDirective();
  if (peek().isIdentifier() && peek(1).is(':'))
    return parseLabel();
  return parseInstruction();
}

Error Parser::parseDirective() {
  unsigned line = peek().line;
  StringRef word = take().text;
  if (word == "reg")
    return parseRegisters();
  for (Space space :
       {Space::Local, Space::Shared, Space::Param, Space::Global, Space::Const})
    if (word == getName(space))
      return parseVariables(space, false,
                            space == Space::Local || space == Space::Param ||
                                    space == Space::Shared
                                ? function->variables
                                : module.variables,
                            &scopes.back());
  if (std::optional<Error> error = parseCommon(word))
    return std::move(*error);
  return makeError(line, "directive '." + word + "' is not covered");
}

Error Parser::parseRegisters() {
  unsigned line = peek().line;
  if (!peek().isDotted())
    return unexpected("a register type");
  StringRef word = take().text;
  std::optional<Type> type = findType(word);
  if (!type)
    return makeError(line, "register type '." + word + "' is not covered");
  do {
    Expected<StringRef> name = takeIdentifier("a register name");
    if (!name)
      return name.takeError();
    if (!accept('<')) {
      scopes.back().single[*name] = *type;
      continue;
    }
    Expected<uint64_t> count = takeUnsigned("a register count");
    if (!count)
      return count.takeError();
    if (Error error = expect('>', "after a register count"))
      return error;
    scopes.back().ranges[*name] = {*count, *type};
  } while (accept(','));
  return expect(';', "after a declaration");
}

/// Labels of a block in braces are known there alone: jumps to them get the
/// name that no other label of the function has.
void Parser::bindLabels(const Scope &scope) {
  if (scope.labels.empty())
    return;
  for (Instruction &in : llvm::drop_begin(function->body, scope.first))
    for (Operand &operand : in.operands) {
      auto found = operand.kind == Operand::Kind::Name
                       ? scope.labels.find(operand.name)
                       : scope.labels.end();
      if (found != scope.labels.end())
        operand.name = found->second;
    }
}

/// The name of a label in the function.
Expected<StringRef> Parser::nameLabel(StringRef name, unsigned line) {
  // The braces of the function itself are the outermost scope of it.
  bool isInner = scopes.size() > outerScopes + 1;
  if (isInner) {
    std::string unique =
        (name + "@" + Twine(function->body.size()) + "." + Twine(line)).str();
    auto [entry, isNew] = scopes.back().labels.try_emplace(
        name, module.names.emplace_back(std::move(unique)));
    if (!isNew)
      return makeError(line, "label '" + name + "' is defined twice");
    return entry->second;
  }
  return name;
}

Error Parser::parseLabel() {
  unsigned line = peek().line;
  StringRef name = take().text;
  take();
  if (peek().isDotted("callprototype") || peek().isDotted("calltargets"))
    return parsePrototype(name);
  if (!peek().isDotted("branchtargets")) {
    Expected<StringRef> unique = nameLabel(name, line);
    if (!unique)
      return unique.takeError();
    name = *unique;
    if (!function->labels.try_emplace(name, function->body.size()).second)
      return makeError(line, "label '" + name + "' is defined twice");
    return Error::success();
  }
  take();
  return parseNames(function->branchTables[name], "a label");
}

/// `name, name;` behind a directive.
Error Parser::parseNames(std::vector<StringRef> &names, const Twine &what) {
  do {
    Expected<StringRef> name = takeIdentifier(what);
    if (!name)
      return name.takeError();
    names.push_back(*name);
  } while (accept(','));
  return expect(';', "after " + what);
}

/// `.callprototype (results) _ (parameters);` or `.calltargets f, g;`.
Error Parser::parsePrototype(StringRef name) {
  unsigned line = peek().line;
  auto [entry, isNew] = function->prototypes.try_emplace(name);
  if (!isNew)
    return makeError(line, "label '" + name + "' is defined twice");
  Prototype &prototype = entry->second;
  prototype.isList = take().text == "calltargets";
  if (prototype.isList)
    return parseNames(prototype.targets, "a function");
  Function formals;
  scopes.emplace_back();
  if (peek().is('('))
    if (Error error = parseFormals(formals, formals.results, true))
      return error;
  if (Expected<StringRef> sink = takeIdentifier("'_'"); !sink)
    return sink.takeError();
  if (peek().is('('))
    if (Error error = parseFormals(formals, formals.parameters, false))
      return error;
  scopes.pop_back();
  for (const Variable *variable : formals.results)
    prototype.results.push_back(variable->bytes);
  for (const Variable *variable : formals.parameters)
    prototype.parameters.push_back(variable->bytes);
  acceptDotted("noreturn");
  return expect(';', "after '.callprototype'");
}

Error Parser::parseGuard(Instruction &instruction) {
  if (!accept('@'))
    return Error::success();
  instruction.guardNegated = accept('!');
  Expected<StringRef> name = takeIdentifier("a predicate register");
  if (!name)
    return name.takeError();
  instruction.guard = findRegister(*name);
  if (!instruction.guard)
    return makeError(instruction.line,
                     "register '" + *name + "' is not declared");
  if (function->registers[*instruction.guard].type != Type::Pred)
    return makeError(instruction.line,
                     "expected the guard '" + *name + "' to be a predicate");
  return Error::success();
}

Error Parser::parseInstruction() {
  Instruction instruction;
  instruction.line = peek().line;
  instruction.location = location;
  const char *begin = peek().text.data();
  if (Error error = parseGuard(instruction))
    return error;
  Expected<StringRef> root = takeIdentifier("an instruction");
  if (!root)
    return root.takeError();
  instruction.root = *root;
  while (peek().isDotted())
    instruction.modifiers.push_back(take().text);
  if (instruction.root == "call") {
    if (Error error = parseCall(instruction))
      return error;
  } else if (!peek().is(';')) {
    do {
      Expected<Operand> operand = parseOperand();
      if (!operand)
        return operand.takeError();
      instruction.operands.push_back(std::move(*operand));
    } while (accept(','));
  }
  const char *end = peek().text.data();
  if (Error error = expect(';', "after '" + instruction.getOpcode() + "'"))
    return error;
  instruction.text = StringRef(begin, end - begin).rtrim();
  instruction.isAfterNoUnroll = std::exchange(isAfterNoUnroll, false);
  function->body.push_back(std::move(instruction));
  return Error::success();
}

/// `call (results), name, (arguments)`, both lists optional; through a
/// register, `call (results), register, (arguments), prototype`.
Error Parser::parseCall(Instruction &instruction) {
  if (peek().is('(')) {
    if (Error error = parseCallList(instruction.results))
      return error;
    if (Error error = expect(',', "after the results of 'call'"))
      return error;
  }
  Expected<StringRef> callee = takeIdentifier("a function name");
  if (!callee)
    return callee.takeError();
  std::optional<unsigned> reg = findRegister(*callee);
  if (!reg)
    instruction.callee = *callee;
  bool hasMore = accept(',');
  if (hasMore && peek().is('(')) {
    if (Error error = parseCallList(instruction.arguments))
      return error;
    hasMore = accept(',');
  }
  if (!reg && !hasMore)
    return Error::success();
  if (!reg)
    return makeError(instruction.line,
                     "expected a register before the prototype of 'call', got "
                     "'" +
                         *callee + "'");
  if (!hasMore)
    return unexpected("', ' and the prototype of the call");
  Expected<Operand> prototype = parseOperand();
  if (!prototype)
    return prototype.takeError();
  Operand pointer;
  pointer.kind = Operand::Kind::Register;
  pointer.name = *callee;
  pointer.reg = *reg;
  instruction.operands = {std::move(pointer), std::move(*prototype)};
  return Error::success();
}

Error Parser::parseCallList(std::vector<Operand> &list) {
  if (Error error = expect('(', "in 'call'"))
    return error;
  if (accept(')'))
    return Error::success();
  do {
    Expected<Operand> operand = parseOperand();
    if (!operand)
      return operand.takeError();
    list.push_back(std::move(*operand));
  } while (accept(','));
  return expect(')', "in 'call'");
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Expected<Operand> Parser::parseOperand() {
  if (peek().is('['))
    return parseAddress();
  if (peek().is('{'))
    return parseVector();
  if (accept('-'))
    return parseNumber(true);
  if (!peek().isIdentifier() && !peek().is('!'))
    return parseNumber(false);
  Expected<Operand> first = parseNamed();
  if (!first || !accept('|'))
    return first;
  Expected<Operand> second = parseNamed();
  if (!second)
    return second;
  Operand pair;
  pair.kind = Operand::Kind::Pair;
  pair.elements = {std::move(*first), std::move(*second)};
  return pair;
}

Expected<Operand> Parser::parseAddress() {
  take();
  Operand address;
  address.kind = Operand::Kind::Address;
  Expected<Operand> base =
      peek().isIdentifier() ? parseNamed() : parseNumber(false);
  if (!base)
    return base;
  // `name+4` was read whole as the operand's own offset.
  address.offset = base->kind == Operand::Kind::Variable ? base->offset : 0;
  base->offset = 0;
  address.elements.push_back(std::move(*base));
  if (Error error = parseOffset(address))
    return error;
  // `[tensor, {x, y}]`: read so that the instruction can be refused by name.
  while (accept(',')) {
    Expected<Operand> coordinates = parseOperand();
    if (!coordinates)
      return coordinates;
    address.elements.push_back(std::move(*coordinates));
  }
  if (Error error = expect(']', "after an address"))
    return error;
  acceptDotted("unified");
  return address;
}

Expected<Operand> Parser::parseVector() {
  take();
  Operand vector;
  vector.kind = Operand::Kind::Vector;
  do {
    if (peek().is('{') || peek().is('['))
      return unexpected("a register or a constant in a vector");
    Expected<Operand> element = parseOperand();
    if (!element)
      return element;
    vector.elements.push_back(std::move(*element));
  } while (accept(','));
  if (Error error = expect('}', "after a vector"))
    return error;
  return vector;
}

/// `+ 4`, `+ -4` or `- 4`, added to what the operand has.
Error Parser::parseOffset(Operand &operand) {
  while (peek().is('+') || peek().is('-')) {
    bool isNegative = take().is('-');
    if (accept('-'))
      isNegative = !isNegative;
    Expected<uint64_t> value = takeUnsigned("an offset");
    if (!value)
      return value.takeError();
    // Wraps, as the address does.
    operand.offset =
        uint64_t(operand.offset) + (isNegative ? 0 - *value : *value);
  }
  return Error::success();
}

Expected<Operand> Parser::parseNamed() {
  Operand operand;
  operand.negated = accept('!');
  unsigned line = peek().line;
  Expected<StringRef> name = takeIdentifier("an operand");
  if (!name)
    return name.takeError();
  operand.name = *name;
  if (*name == "_")
    return operand;
  if (std::optional<unsigned> reg = findRegister(*name)) {
    operand.kind = Operand::Kind::Register;
    operand.reg = *reg;
    if (peek().isDotted())
      return makeError(line, "element access '" + *name + "." + peek().text +
                                 "' is not covered");
    return operand;
  }
  if (const Variable *variable = findVariable(*name)) {
    operand.kind = Operand::Kind::Variable;
    operand.variable = variable;
    if (Error error = parseOffset(operand))
      return error;
    return operand;
  }
  if (*name == "WARP_SZ") {
    operand.kind = Operand::Kind::Immediate;
    operand.bits = 32;
    return operand;
  }
  if (name->starts_with("%")) {
    if (findSpecial(*name, operand))
      return operand;
    return makeError(line, "register '" + *name +
                               "' is neither declared nor a special register "
                               "that is covered");
  }
  operand.kind = Operand::Kind::Name;
  return operand;
}

Expected<Operand> Parser::parseNumber(bool isNegative) {
  Operand operand;
  operand.kind = Operand::Kind::Immediate;
  const Token &token = peek();
  switch (token.kind) {
  case Token::Kind::Integer:
    operand.bits = isNegative ? 0 - token.bits : token.bits;
    break;
  case Token::Kind::Float32:
    operand.literal = Operand::Literal::F32;
    operand.bits = token.bits ^ (isNegative ? uint64_t(1) << 31 : 0);
    break;
  case Token::Kind::Float64:
    operand.literal = Operand::Literal::F64;
    operand.bits = token.bits ^ (isNegative ? uint64_t(1) << 63 : 0);
    break;
  default:
    return unexpected("an operand");
  }
  take();
  return operand;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

std::optional<unsigned> Parser::findRegister(StringRef name) {
  StringRef prefix = name.rtrim("0123456789");
  uint64_t number = 0;
  bool hasNumber = !name.drop_front(prefix.size()).getAsInteger(10, number);
  for (Scope &scope : llvm::reverse(scopes)) {
    auto known = scope.assigned.find(name);
    if (known != scope.assigned.end())
      return known->second;
    std::optional<Type> type;
    auto single = scope.single.find(name);
    if (single != scope.single.end())
      type = single->second;
    auto range = hasNumber ? scope.ranges.find(prefix) : scope.ranges.end();
    if (!type && range != scope.ranges.end() && number < range->second.count)
      type = range->second.type;
    if (!type)
      continue;
    unsigned id = function->registers.size();
    function->registers.push_back({name, *type});
    scope.assigned[name] = id;
    return id;
  }
  return std::nullopt;
}

const Variable *Parser::findVariable(StringRef name) const {
  for (const Scope &scope : llvm::reverse(scopes)) {
    auto found = scope.variables.find(name);
    if (found != scope.variables.end())
      return found->second;
  }
  return nullptr;
}

} // namespace tc::emulator::ptx
