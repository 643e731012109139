//===- Parser.h - From PTX text to data -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads PTX text (PTX ISA, sections 4 and 5) into a ptx::Module. The parser
// knows the syntax and the directives; what instructions exist is the table's
// matter.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_EMULATOR_PTX_PARSER_H
#define TC_LIB_EMULATOR_PTX_PARSER_H

#include "Ptx/Ptx.h"

namespace tc::emulator::ptx {

/// Parses a whole module. A directive that is not covered is an error with its
/// name and line, as is any syntax error.
llvm::Expected<std::unique_ptr<Module>> parse(llvm::StringRef source);

} // namespace tc::emulator::ptx

#endif // TC_LIB_EMULATOR_PTX_PARSER_H
