//===- ParserImpl.h - State of the PTX parser -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parser's state, shared by its parts: the module level (Parser.cpp),
// directives, variables and function bodies (Parse*.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_PTX_PARSERIMPL_H
#define TC_LIB_EMULATOR_PTX_PARSERIMPL_H

#include "Ptx/Lexer.h"
#include "Ptx/Ptx.h"

namespace tc::emulator::ptx {

class Parser {
public:
  Parser(Module &module, llvm::ArrayRef<Token> tokens)
      : module(module), tokens(tokens) {}

  llvm::Error parseModule();

private:
  /// The names one `{ }` declares.
  struct Scope {
    struct Range {
      uint64_t count;
      Type type;
    };
    llvm::StringMap<Range> ranges;      ///< `%r<9>`
    llvm::StringMap<Type> single;       ///< `%SP`
    llvm::StringMap<unsigned> assigned; ///< registers that were named so far
    llvm::StringMap<const Variable *> variables;
    llvm::StringMap<llvm::StringRef> labels; ///< of inner ones: unique names
    size_t first = 0;                        ///< instruction of the function
  };

  // Tokens.
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(at + ahead, tokens.size() - 1)];
  }
  const Token &take() { return tokens[at + 1 < tokens.size() ? at++ : at]; }
  bool accept(char punctuation);
  bool acceptDotted(llvm::StringRef word);
  llvm::Error expect(char punctuation, const llvm::Twine &where);
  llvm::Error unexpected(const llvm::Twine &expected);
  llvm::Expected<llvm::StringRef> takeIdentifier(const llvm::Twine &what);
  llvm::Expected<uint64_t> takeUnsigned(const llvm::Twine &what);
  llvm::Error skipBraces();
  llvm::Error skipTo(char punctuation, const llvm::Twine &after);

  // Module level (Parser.cpp).
  llvm::Error parseTop();
  llvm::Error parseVersion();
  llvm::Error parseTarget();
  llvm::Error parseAddressSize();
  llvm::Error parseLinked();
  llvm::Error parseFunction(bool isEntry);
  llvm::Error parseFormals(Function &function, std::vector<Variable *> &list,
                           bool isResult);
  llvm::Error parseTuning(Function &function);
  llvm::Error parseExtents(uint32_t (&extents)[3]);
  llvm::Error layOutParameters(Function &function);

  // Directives in any place (ParseDirective.cpp).
  std::optional<llvm::Error> parseCommon(llvm::StringRef word);
  llvm::Error parsePragma();
  llvm::Error parseFile();
  llvm::Error parseLocation();
  llvm::Expected<Location> parsePlace();
  llvm::Error parseAlias();
  llvm::Error parseClusters(Function &function, llvm::StringRef word,
                            unsigned line);
  llvm::Error parseAttributeList();

  // Variables (ParseVariable.cpp).
  llvm::Error parseVariables(Space space, bool isExtern,
                             std::deque<Variable> &into, Scope *scope);
  llvm::Error parseAttributes(Variable &variable, bool isFormal,
                              unsigned &vectorWidth);
  llvm::Error parseDimensions(Variable &variable);
  llvm::Error parseInitializer(Variable &variable);
  llvm::Error parseInitialValues(Variable &variable, uint64_t &offset,
                                 unsigned depth);
  llvm::Error parseInitialValue(Variable &variable, uint64_t &offset);

  // Function bodies (ParseBody.cpp).
  llvm::Error parseBody(Function &function);
  llvm::Error parseStatement();
  llvm::Error parseDirective();
  llvm::Error parseRegisters();
  llvm::Error parseLabel();
  void bindLabels(const Scope &scope);
  llvm::Expected<llvm::StringRef> nameLabel(llvm::StringRef name,
                                            unsigned line);
  llvm::Error parsePrototype(llvm::StringRef name);
  llvm::Error parseNames(std::vector<llvm::StringRef> &names,
                         const llvm::Twine &what);
  llvm::Error parseInstruction();
  llvm::Error parseGuard(Instruction &instruction);
  llvm::Error parseCall(Instruction &instruction);
  llvm::Error parseCallList(std::vector<Operand> &list);
  llvm::Expected<Operand> parseOperand();
  llvm::Expected<Operand> parseAddress();
  llvm::Expected<Operand> parseVector();
  llvm::Expected<Operand> parseNamed();
  llvm::Expected<Operand> parseNumber(bool isNegative);
  llvm::Error parseOffset(Operand &operand);
  bool findSpecial(llvm::StringRef name, Operand &operand);
  std::optional<unsigned> findRegister(llvm::StringRef name);
  const Variable *findVariable(llvm::StringRef name) const;

  Module &module;
  llvm::ArrayRef<Token> tokens;
  size_t at = 0;
  Function *function = nullptr;
  uint32_t location = 0;        ///< of the instructions that follow
  bool isAfterNoUnroll = false; ///< is the next instruction?
  std::vector<Scope> scopes;
  size_t outerScopes = 0; ///< around the function
};

} // namespace tc::emulator::ptx

#endif // TC_LIB_EMULATOR_PTX_PARSERIMPL_H
