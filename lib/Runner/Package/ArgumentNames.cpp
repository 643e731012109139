//===- ArgumentNames.cpp - What arguments are called in C -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Package/ArgumentNames.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace mlir::tc {

/// The name behind the `%` at `location` in the text of the program. The parser
/// gives an argument the location of its name unless the file states another.
static StringRef findWrittenName(llvm::SourceMgr &sources,
                                 FileLineColLoc location) {
  unsigned file = sources.getMainFileID();
  const llvm::MemoryBuffer *text = sources.getMemoryBuffer(file);
  if (text->getBufferIdentifier() != location.getFilename())
    return {};
  llvm::SMLoc place = sources.FindLocForLineAndColumn(file, location.getLine(),
                                                      location.getColumn());
  if (!place.isValid())
    return {};
  StringRef rest(place.getPointer(), text->getBufferEnd() - place.getPointer());
  if (!rest.consume_front("%"))
    return {};
  return rest.take_while(
      [](char c) { return llvm::isAlnum(c) || StringRef("_$.-").contains(c); });
}

static StringRef findGivenName(const Program &program, BlockArgument argument) {
  Location location = argument.getLoc();
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName();
  auto place = dyn_cast<FileLineColLoc>(location);
  return place && program.sources ? findWrittenName(*program.sources, place)
                                  : StringRef();
}

/// Is it a keyword of C or C++, or the name of another parameter of the
/// functions of a package?
static bool isTaken(StringRef name) {
  static const llvm::StringSet<> taken = {"alignas",      "alignof",
                                          "and",          "and_eq",
                                          "asm",          "auto",
                                          "bitand",       "bitor",
                                          "bool",         "break",
                                          "case",         "catch",
                                          "char",         "class",
                                          "compl",        "concept",
                                          "const",        "const_cast",
                                          "consteval",    "constexpr",
                                          "constinit",    "continue",
                                          "co_await",     "co_return",
                                          "co_yield",     "decltype",
                                          "default",      "delete",
                                          "do",           "double",
                                          "dynamic_cast", "else",
                                          "enum",         "explicit",
                                          "export",       "extern",
                                          "false",        "float",
                                          "for",          "friend",
                                          "goto",         "if",
                                          "inline",       "int",
                                          "long",         "mutable",
                                          "namespace",    "new",
                                          "noexcept",     "not",
                                          "not_eq",       "nullptr",
                                          "operator",     "or",
                                          "or_eq",        "private",
                                          "protected",    "public",
                                          "register",     "reinterpret_cast",
                                          "requires",     "restrict",
                                          "return",       "short",
                                          "signed",       "sizeof",
                                          "static",       "static_assert",
                                          "static_cast",  "struct",
                                          "switch",       "template",
                                          "this",         "thread_local",
                                          "throw",        "true",
                                          "try",          "typedef",
                                          "typeid",       "typename",
                                          "typeof",       "typeof_unqual",
                                          "union",        "unsigned",
                                          "using",        "virtual",
                                          "void",         "volatile",
                                          "wchar_t",      "while",
                                          "xor",          "xor_eq",
                                          "bytes",        "stream",
                                          "workspace",    "workspace_bytes"};
  // `lhs_extent0` is an extent of `lhs`.
  return taken.contains(name) || name.contains("_extent") ||
         name.contains("_stride") || name.ends_with("_offset");
}

/// `given` as an identifier, or nothing where it is only a number.
static std::string makeIdentifier(StringRef given) {
  if (given.empty() || llvm::isDigit(given.front()))
    return "";
  std::string name = given.str();
  for (char &letter : name)
    if (!llvm::isAlnum(letter))
      letter = '_';
  // C keeps names that begin with an underscore.
  return (name.front() == '_' ? "arg" : "") + name;
}

static std::string nameResult(size_t number, size_t count) {
  return count == 1 ? "result" : "result" + std::to_string(number);
}

static std::vector<std::string> nameArgumentsOfFile(Program &program,
                                                    size_t count) {
  std::vector<std::string> names;
  llvm::StringSet<> used;
  auto arguments = program.function().getArguments();
  size_t own = std::min<size_t>(count, arguments.size());
  for (size_t number = 0; number < count; ++number) {
    std::string name =
        number < own ? makeIdentifier(findGivenName(program, arguments[number]))
                     : nameResult(number - own, count - own);
    if (name.empty())
      name = "arg" + std::to_string(number);
    while (isTaken(name) || !used.insert(name).second)
      name += '_';
    names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> nameArguments(Program &program, size_t count) {
  if (!program.problem || count > 26)
    return nameArgumentsOfFile(program, count);
  std::vector<std::string> names;
  for (size_t number = 0; number < count; ++number)
    names.emplace_back(1, char('A' + number));
  return names;
}

} // namespace mlir::tc
