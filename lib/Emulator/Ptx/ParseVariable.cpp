//===- ParseVariable.cpp - Variables and their initial values -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Declarations of variables in every space (PTX ISA, section 5.4).
//
//===----------------------------------------------------------------------===//

#include "Ptx/ParserImpl.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/Support/MathExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

/// The widest alignment anything asks for (shared tiles of a swizzle).
static constexpr uint64_t maxAlign = 1024;

/// `.align n`, `.ptr .space .align n`, `.v4` and the type, in any order.
Error Parser::parseAttributes(Variable &variable, bool isFormal,
                              unsigned &vectorWidth) {
  bool isPointer = false, hasType = false;
  uint64_t align = 0;
  while (peek().isDotted()) {
    unsigned line = peek().line;
    StringRef word = take().text;
    if (word == "align") {
      Expected<uint64_t> value = takeUnsigned("an alignment");
      if (!value)
        return value.takeError();
      if (!llvm::isPowerOf2_64(*value) || *value > maxAlign)
        return makeError(line, "expected an alignment that is a power of two "
                               "up to " +
                                   Twine(maxAlign) + ", got " + Twine(*value));
      // After .ptr it speaks of what the pointer addresses.
      if (!isPointer)
        align = *value;
    } else if (word == "attribute") {
      if (Error error = parseAttributeList())
        return error;
    } else if (word == "v2" || word == "v4") {
      vectorWidth = word == "v2" ? 2 : 4;
    } else if (word == "ptr" && isFormal) {
      isPointer = true;
    } else if (isPointer && findSpace(word)) {
      continue;
    } else if (std::optional<Type> type = findType(word)) {
      variable.type = *type;
      hasType = true;
    } else {
      return makeError(line, "'." + word + "' is not covered in a declaration");
    }
  }
  if (!hasType)
    return unexpected("a type");
  if (variable.type == Type::Pred)
    return makeError(peek().line, "a predicate cannot be a variable in memory");
  variable.align = align ? align : getBytes(variable.type) * vectorWidth;
  return Error::success();
}

/// `[4][8]` multiplies the size; `[]` makes it open.
Error Parser::parseDimensions(Variable &variable) {
  while (accept('[')) {
    if (accept(']')) {
      variable.bytes = 0;
      continue;
    }
    unsigned line = peek().line;
    Expected<uint64_t> extent = takeUnsigned("an array extent");
    if (!extent)
      return extent.takeError();
    constexpr uint64_t limit = uint64_t(1) << 40;
    if (*extent > limit || variable.bytes * *extent > limit)
      return makeError(line, "array '" + variable.name + "' is too large");
    variable.bytes *= *extent;
    if (Error error = expect(']', "after an array extent"))
      return error;
  }
  return Error::success();
}

Error Parser::parseVariables(Space space, bool isExtern,
                             std::deque<Variable> &into, Scope *scope) {
  Variable common;
  common.space = space;
  unsigned vectorWidth = 1;
  if (Error error = parseAttributes(common, false, vectorWidth))
    return error;
  do {
    Variable variable = common;
    variable.line = peek().line;
    Expected<StringRef> name = takeIdentifier("a variable name");
    if (!name)
      return name.takeError();
    variable.name = *name;
    variable.bytes = getBytes(variable.type) * vectorWidth;
    if (Error error = parseDimensions(variable))
      return error;
    variable.isDynamic =
        isExtern && space == Space::Shared && variable.bytes == 0;
    variable.isExternal = isExtern && !variable.isDynamic;
    if (accept('='))
      if (Error error = parseInitializer(variable))
        return error;
    if (scope->variables.count(variable.name))
      return makeError(variable.line,
                       "'" + variable.name + "' is declared twice");
    into.push_back(std::move(variable));
    scope->variables[into.back().name] = &into.back();
  } while (accept(','));
  return expect(';', "after a declaration");
}

Error Parser::parseInitializer(Variable &variable) {
  if (variable.space != Space::Global && variable.space != Space::Const)
    return makeError(variable.line, "variable '" + variable.name + "' in ." +
                                        getName(variable.space) +
                                        " cannot have an initial value");
  // `x[] = {1, 2}` takes its size from the list.
  bool isOpen = variable.bytes == 0;
  if (!isOpen) {
    if (variable.bytes > (uint64_t(1) << 28))
      return makeError(variable.line, "initial value is too large");
    variable.initial.assign(variable.bytes, 0);
  }
  uint64_t offset = 0;
  if (Error error = peek().is('{') ? parseInitialValues(variable, offset, 1)
                                   : parseInitialValue(variable, offset))
    return error;
  if (isOpen)
    variable.bytes = variable.initial.size();
  return Error::success();
}

Error Parser::parseInitialValues(Variable &variable, uint64_t &offset,
                                 unsigned depth) {
  if (depth > 16)
    return makeError(peek().line, "initial values are nested too deep");
  take();
  if (accept('}'))
    return Error::success();
  do {
    if (Error error = peek().is('{')
                          ? parseInitialValues(variable, offset, depth + 1)
                          : parseInitialValue(variable, offset))
      return error;
  } while (accept(','));
  return expect('}', "after initial values");
}

Error Parser::parseInitialValue(Variable &variable, uint64_t &offset) {
  unsigned size = getBytes(variable.type), line = peek().line;
  if (size > 8)
    return makeError(line, "initial values of ." + getName(variable.type) +
                               " are not covered");
  if (variable.bytes == 0)
    variable.initial.resize(offset + size);
  if (offset + size > variable.initial.size())
    return makeError(line, "too many initial values for '" + variable.name +
                               "' of " + Twine(variable.bytes) + " bytes");
  Operand value;
  if (peek().isIdentifier()) {
    bool isGeneric = peek().text == "generic" && peek(1).is('(');
    if (isGeneric) {
      take();
      take();
    }
    Relocation relocation{offset, take().text, 0};
    if (isGeneric && !accept(')'))
      return unexpected("')'");
    if (Error error = parseOffset(value))
      return error;
    relocation.addend = value.offset;
    if (size != 8)
      return makeError(line, "an address needs 8 bytes, got " + Twine(size));
    variable.relocations.push_back(relocation);
    offset += size;
    return Error::success();
  }
  Expected<Operand> number = parseNumber(accept('-'));
  if (!number)
    return number.takeError();
  uint64_t bits = number->bits;
  if (number->literal == Operand::Literal::F64 && variable.type == Type::F32)
    bits = llvm::bit_cast<uint32_t>(float(llvm::bit_cast<double>(bits)));
  for (unsigned i = 0; i < size; ++i)
    variable.initial[offset + i] = uint8_t(bits >> (8 * i));
  offset += size;
  return Error::success();
}

} // namespace tc::emulator::ptx
