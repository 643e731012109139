//===- Lexer.h - Words of PTX -----------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts PTX text into tokens, with the line of each (PTX ISA, section 4).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_PTX_LEXER_H
#define TC_LIB_EMULATOR_PTX_LEXER_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace tc::emulator::ptx {

struct Token {
  enum class Kind : uint8_t {
    End,
    Identifier, ///< `add`, `%r1`, `$L__BB0_1`, `_`
    Dotted,     ///< `.s32`, `.L1::evict_last`; the text leaves out the dot
    Integer,    ///< `bits`
    Float32,    ///< `0f3F800000`; `bits`
    Float64,    ///< `0d…`, `1.5`; `bits`
    String,     ///< the text leaves out the quotes
    Punctuation ///< one character
  };
  Kind kind = Kind::End;
  llvm::StringRef text;
  uint64_t bits = 0;
  unsigned line = 0;

  bool is(char punctuation) const {
    return kind == Kind::Punctuation && text[0] == punctuation;
  }
  bool isIdentifier() const { return kind == Kind::Identifier; }
  bool isDotted() const { return kind == Kind::Dotted; }
  bool isDotted(llvm::StringRef word) const {
    return kind == Kind::Dotted && text == word;
  }
};

/// The tokens of `source`, an `End` last. They point into `source`.
llvm::Expected<std::vector<Token>> tokenize(llvm::StringRef source);

} // namespace tc::emulator::ptx

#endif // TC_LIB_EMULATOR_PTX_LEXER_H
