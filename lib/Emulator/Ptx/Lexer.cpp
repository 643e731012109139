//===- Lexer.cpp - Words of PTX -------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A hand-written scanner over one buffer.
//
//===----------------------------------------------------------------------===//

#include "Ptx/Lexer.h"
#include "Ptx/Ptx.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"

using llvm::StringRef;

namespace tc::emulator::ptx {

namespace {

bool isWordStart(char c) {
  return llvm::isAlpha(c) || c == '_' || c == '$' || c == '%';
}
bool isWordPart(char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; }

class Scanner {
public:
  explicit Scanner(StringRef source) : source(source) {}

  llvm::Expected<std::vector<Token>> run() {
    std::vector<Token> tokens;
    tokens.reserve(source.size() / 4);
    while (true) {
      if (llvm::Error error = skipBlanks())
        return error;
      Token token;
      token.line = line;
      if (llvm::Error error = next(token))
        return error;
      tokens.push_back(token);
      if (token.kind == Token::Kind::End)
        return tokens;
    }
  }

private:
  char peek(size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }

  llvm::Error skipBlanks() {
    while (at < source.size()) {
      if (peek() == '\n') {
        ++line;
        ++at;
      } else if (llvm::isSpace(peek())) {
        ++at;
      } else if (peek() == '/' && peek(1) == '/') {
        at = std::min(source.find('\n', at), source.size());
      } else if (peek() == '/' && peek(1) == '*') {
        size_t end = source.find("*/", at + 2);
        if (end == StringRef::npos)
          return makeError(line, "comment is not closed");
        line += source.slice(at, end).count('\n');
        at = end + 2;
      } else {
        break;
      }
    }
    return llvm::Error::success();
  }

  llvm::Error next(Token &token) {
    if (at >= source.size()) {
      token.kind = Token::Kind::End;
      token.text = "end of file";
      return llvm::Error::success();
    }
    char c = peek();
    if (isWordStart(c)) {
      token.kind = Token::Kind::Identifier;
      token.text = takeWord(at);
      return llvm::Error::success();
    }
    if (c == '.' && (isWordPart(peek(1)) || peek(1) == '_')) {
      token.kind = Token::Kind::Dotted;
      token.text = takeDotted();
      return llvm::Error::success();
    }
    if (llvm::isDigit(c))
      return takeNumber(token);
    if (c == '"')
      return takeString(token);
    if (!StringRef("{}[]()<>,;:+-*/@!|=&~?^.").contains(c))
      return makeError(line, "unexpected character '" + llvm::Twine(c) + "'");
    token.kind = Token::Kind::Punctuation;
    token.text = source.substr(at++, 1);
    return llvm::Error::success();
  }

  StringRef takeWord(size_t begin) {
    ++at;
    while (isWordPart(peek()))
      ++at;
    return source.slice(begin, at);
  }

  StringRef takeDotted() {
    size_t begin = ++at;
    while (isWordPart(peek()) || (peek() == ':' && peek(1) == ':'))
      at += peek() == ':' ? 2 : 1;
    return source.slice(begin, at);
  }

  llvm::Error takeString(Token &token) {
    size_t end = source.find('"', at + 1);
    if (end == StringRef::npos)
      return makeError(line, "string is not closed");
    token.kind = Token::Kind::String;
    token.text = source.slice(at + 1, end);
    line += token.text.count('\n');
    at = end + 1;
    return llvm::Error::success();
  }

  llvm::Error takeNumber(Token &token) {
    size_t begin = at;
    while (isWordPart(peek()))
      ++at;
    bool isDecimal = false;
    if (peek() == '.' && llvm::isDigit(peek(1))) {
      isDecimal = true;
      ++at;
      while (isWordPart(peek()))
        ++at;
    }
    StringRef text = source.slice(begin, at);
    if ((isDecimal || llvm::isDigit(text[0])) &&
        !text.starts_with_insensitive("0x") &&
        (text.back() == 'e' || text.back() == 'E') &&
        (peek() == '+' || peek() == '-')) {
      ++at;
      while (llvm::isDigit(peek()))
        ++at;
      text = source.slice(begin, at);
    }
    token.text = text;
    if (convert(text, token))
      return llvm::Error::success();
    return makeError(line, "'" + text + "' is not a number");
  }

  /// Section 4.5: hexadecimal, octal, binary and decimal integers with an
  /// optional U, exact bit patterns 0f and 0d, and decimal floating point.
  bool convert(StringRef text, Token &token) {
    if (text.starts_with_insensitive("0f") && text.size() == 10) {
      token.kind = Token::Kind::Float32;
      return !text.drop_front(2).getAsInteger(16, token.bits);
    }
    if (text.starts_with_insensitive("0d") && text.size() == 18) {
      token.kind = Token::Kind::Float64;
      return !text.drop_front(2).getAsInteger(16, token.bits);
    }
    token.kind = Token::Kind::Integer;
    StringRef digits = text;
    if (!digits.consume_back("U"))
      digits.consume_back("u");
    unsigned radix = 10;
    if (digits.consume_front("0x") || digits.consume_front("0X"))
      radix = 16;
    else if (digits.consume_front("0b") || digits.consume_front("0B"))
      radix = 2;
    else if (digits.size() > 1 && digits[0] == '0' &&
             digits.find_first_not_of("01234567") == StringRef::npos)
      radix = 8;
    if (!digits.getAsInteger(radix, token.bits))
      return true;
    if (radix != 10)
      return false;
    llvm::APFloat value(llvm::APFloat::IEEEdouble());
    auto status =
        value.convertFromString(text, llvm::APFloat::rmNearestTiesToEven);
    if (!status) {
      llvm::consumeError(status.takeError());
      return false;
    }
    token.kind = Token::Kind::Float64;
    token.bits = value.bitcastToAPInt().getZExtValue();
    return true;
  }

  StringRef source;
  size_t at = 0;
  unsigned line = 1;
};

} // namespace

llvm::Expected<std::vector<Token>> tokenize(StringRef source) {
  return Scanner(source).run();
}

} // namespace tc::emulator::ptx
