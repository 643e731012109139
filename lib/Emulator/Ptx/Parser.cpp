//===- Parser.cpp - Modules and function headers --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module level of PTX: directives, variables and function headers (PTX ISA,
// sections 5 and 11).
//
//===----------------------------------------------------------------------===//

#include "Ptx/Parser.h"
#include "Ptx/ParserImpl.h"

#include "llvm/Support/MathExtras.h"

using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

//===----------------------------------------------------------------------===//
// Tokens
//===----------------------------------------------------------------------===//

bool Parser::accept(char punctuation) {
  if (!peek().is(punctuation))
    return false;
  take();
  return true;
}

bool Parser::acceptDotted(StringRef word) {
  if (!peek().isDotted(word))
    return false;
  take();
  return true;
}

Error Parser::unexpected(const Twine &expected) {
  StringRef dot = peek().isDotted() ? "." : "";
  return makeError(peek().line, "expected " + expected + ", got '" + dot +
                                    peek().text + "'");
}

Error Parser::expect(char punctuation, const Twine &where) {
  if (accept(punctuation))
    return Error::success();
  return unexpected("'" + Twine(punctuation) + "' " + where);
}

Expected<StringRef> Parser::takeIdentifier(const Twine &what) {
  if (!peek().isIdentifier())
    return unexpected(what);
  return take().text;
}

Expected<uint64_t> Parser::takeUnsigned(const Twine &what) {
  if (peek().kind != Token::Kind::Integer)
    return unexpected(what);
  return take().bits;
}

Error Parser::skipBraces() {
  if (Error error = expect('{', "to open the section"))
    return error;
  unsigned line = peek().line;
  for (unsigned depth = 1; depth;) {
    if (peek().kind == Token::Kind::End)
      return makeError(line, "'{' is not closed");
    const Token &token = take();
    depth += token.is('{');
    depth -= token.is('}');
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Module level
//===----------------------------------------------------------------------===//

Error Parser::parseModule() {
  scopes.emplace_back();
  if (!peek().isDotted("version"))
    return unexpected("'.version' at the start of the module");
  while (peek().kind != Token::Kind::End)
    if (Error error = parseTop())
      return error;
  if (module.target.empty())
    return makeError(peek().line, "expected a '.target' directive");
  return Error::success();
}

Error Parser::parseTop() {
  if (!peek().isDotted())
    return unexpected("a directive");
  StringRef word = peek().text;
  unsigned line = peek().line;
  if (word == "visible" || word == "weak" || word == "extern" ||
      word == "common")
    return parseLinked();
  if (word == "entry" || word == "func" || word == "global" ||
      word == "const" || word == "shared")
    return parseLinked();
  take();
  if (word == "version")
    return parseVersion();
  if (word == "target")
    return parseTarget();
  if (word == "address_size")
    return parseAddressSize();
  if (std::optional<Error> error = parseCommon(word))
    return std::move(*error);
  if (word == "alias")
    return parseAlias();
  if (word == "section") {
    take(); // its name
    return skipBraces();
  }
  return makeError(line, "directive '." + word + "' is not covered");
}

Error Parser::parseVersion() {
  // The lexer reads "8.0" as a decimal number.
  StringRef major, minor;
  std::tie(major, minor) = peek().text.split('.');
  if (major.getAsInteger(10, module.major) ||
      minor.getAsInteger(10, module.minor))
    return unexpected("a version such as 8.0");
  take();
  return Error::success();
}

Error Parser::parseTarget() {
  unsigned line = peek().line;
  Expected<StringRef> name = takeIdentifier("a target such as sm_90");
  if (!name)
    return name.takeError();
  unsigned chip;
  StringRef number = *name;
  if (!number.consume_front("sm_") || number.rtrim("af").getAsInteger(10, chip))
    return makeError(line,
                     "expected a target such as sm_90, got '" + *name + "'");
  module.target = *name;
  while (accept(',')) {
    Expected<StringRef> option = takeIdentifier("a target option");
    if (!option)
      return option.takeError();
    if (*option != "debug" && *option != "texmode_independent" &&
        *option != "texmode_unified")
      return makeError(line, "target option '" + *option + "' is not covered");
  }
  return Error::success();
}

Error Parser::parseAddressSize() {
  unsigned line = peek().line;
  Expected<uint64_t> size = takeUnsigned("an address size");
  if (!size)
    return size.takeError();
  if (*size != 64)
    return makeError(line, "expected '.address_size 64', got " + Twine(*size));
  return Error::success();
}

/// A variable or function with its linkage in front.
Error Parser::parseLinked() {
  bool isExtern = false;
  while (true) {
    if (acceptDotted("extern"))
      isExtern = true;
    else if (!acceptDotted("visible") && !acceptDotted("weak") &&
             !acceptDotted("common"))
      break;
  }
  if (acceptDotted("entry"))
    return parseFunction(true);
  if (acceptDotted("func"))
    return parseFunction(false);
  for (Space space : {Space::Global, Space::Const, Space::Shared})
    if (acceptDotted(getName(space)))
      return parseVariables(space, isExtern, module.variables, &scopes.front());
  return unexpected("a function or a variable");
}

Error Parser::parseFunction(bool isEntry) {
  module.functions.emplace_back();
  Function &function = module.functions.back();
  function.isEntry = isEntry;
  function.line = peek().line;
  scopes.emplace_back();
  location = 0;
  while (true) {
    if (acceptDotted("attribute")) {
      if (Error error = parseAttributeList())
        return error;
    } else if (!acceptDotted("noreturn")) {
      break;
    }
  }
  if (!isEntry && peek().is('('))
    if (Error error = parseFormals(function, function.results, true))
      return error;
  Expected<StringRef> name = takeIdentifier("a function name");
  if (!name)
    return name.takeError();
  function.name = *name;
  if (peek().is('('))
    if (Error error = parseFormals(function, function.parameters, false))
      return error;
  if (Error error = layOutParameters(function))
    return error;
  while (peek().isDotted())
    if (Error error = parseTuning(function))
      return error;
  if (!accept(';')) {
    function.hasBody = true;
    if (Error error = parseBody(function))
      return error;
  }
  scopes.pop_back();
  return Error::success();
}

/// `( .param .type name, ... )`.
Error Parser::parseFormals(Function &function, std::vector<Variable *> &list,
                           bool isResult) {
  take();
  if (accept(')'))
    return Error::success();
  while (true) {
    if (!acceptDotted("param"))
      return unexpected("'.param'");
    Variable variable;
    variable.space = Space::Param;
    variable.isFormal = true;
    unsigned vectorWidth = 1;
    if (Error error = parseAttributes(variable, true, vectorWidth))
      return error;
    Expected<StringRef> name = takeIdentifier("a parameter name");
    if (!name)
      return name.takeError();
    variable.name = *name;
    variable.line = peek().line;
    variable.bytes = getBytes(variable.type) * vectorWidth;
    if (Error error = parseDimensions(variable))
      return error;
    function.variables.push_back(variable);
    list.push_back(&function.variables.back());
    scopes.back().variables[variable.name] = list.back();
    if (accept(')'))
      return Error::success();
    if (Error error = expect(',', "between parameters"))
      return error;
  }
}

/// Packs kernel parameters as the driver does: each at its alignment.
Error Parser::layOutParameters(Function &function) {
  // PTX ISA, section 5.1.6.2.
  constexpr uint64_t limit = 32764;
  uint64_t offset = 0;
  for (Variable *parameter : function.parameters) {
    offset = llvm::alignTo(offset, parameter->align);
    parameter->offset = offset;
    offset += parameter->bytes;
    if (offset > limit)
      return makeError(parameter->line, "expected at most " + Twine(limit) +
                                            " bytes of parameters, got " +
                                            Twine(offset));
  }
  function.parameterBytes = offset;
  return Error::success();
}

/// Directives between a function's header and its body.
Error Parser::parseTuning(Function &function) {
  unsigned line = peek().line;
  StringRef word = take().text;
  if (word == "maxntid")
    return parseExtents(function.maxThreads);
  if (word == "reqntid")
    return parseExtents(function.requiredThreads);
  if (word == "minnctapersm" || word == "maxnctapersm" || word == "maxnreg" ||
      word == "abi_preserve" || word == "abi_preserve_control")
    return takeUnsigned("a number").takeError();
  if (word == "noreturn")
    return Error::success();
  if (word == "explicitcluster" || word == "reqnctapercluster" ||
      word == "maxclusterrank" || word == "blocksareclusters")
    return parseClusters(function, word, line);
  if (std::optional<Error> error = parseCommon(word))
    return std::move(*error);
  return makeError(line, "directive '." + word + "' is not covered");
}

Error Parser::parseExtents(uint32_t (&extents)[3]) {
  for (unsigned i = 0; i < 3; ++i) {
    unsigned line = peek().line;
    Expected<uint64_t> extent = takeUnsigned("a block extent");
    if (!extent)
      return extent.takeError();
    if (*extent == 0 || *extent > 1024)
      return makeError(line, "expected a block extent from 1 to 1024, got " +
                                 Twine(*extent));
    extents[i] = *extent;
    if (!accept(',')) {
      for (++i; i < 3; ++i)
        extents[i] = 1;
      return Error::success();
    }
  }
  return Error::success();
}

Expected<std::unique_ptr<Module>> parse(StringRef source) {
  auto module = std::make_unique<Module>();
  // Images end with a NUL byte that is no part of the text.
  module->source = source.rtrim('\0').str();
  Expected<std::vector<Token>> tokens = tokenize(module->source);
  if (!tokens)
    return tokens.takeError();
  if (Error error = Parser(*module, *tokens).parseModule())
    return error;
  return module;
}

} // namespace tc::emulator::ptx
