//===- Ptx.cpp - PTX modules as data --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names and sizes of types and spaces, and look-ups.
//
//===----------------------------------------------------------------------===//

#include "Ptx/Ptx.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

namespace tc::emulator::ptx {

namespace {
struct TypeInfo {
  const char *name;
  unsigned bits;
  bool isSigned, isFloat, isInteger;
};

/// In the order of `Type`.
constexpr TypeInfo typeTable[] = {
    {"u8", 8, false, false, true},       {"u16", 16, false, false, true},
    {"u32", 32, false, false, true},     {"u64", 64, false, false, true},
    {"s8", 8, true, false, true},        {"s16", 16, true, false, true},
    {"s32", 32, true, false, true},      {"s64", 64, true, false, true},
    {"b8", 8, false, false, true},       {"b16", 16, false, false, true},
    {"b32", 32, false, false, true},     {"b64", 64, false, false, true},
    {"b128", 128, false, false, true},   {"f16", 16, false, true, false},
    {"f16x2", 32, false, false, false},  {"bf16", 16, false, true, false},
    {"bf16x2", 32, false, false, false}, {"f32", 32, false, true, false},
    {"f64", 64, false, true, false},     {"pred", 1, false, false, false},
    {"u16x2", 32, false, false, false},  {"s16x2", 32, true, false, false},
    {"f32x2", 64, false, false, false},  {"tf32", 32, false, false, false},
    {"e4m3x2", 16, false, false, false}, {"e5m2x2", 16, false, false, false},
};

const TypeInfo &getInfo(Type type) { return typeTable[unsigned(type)]; }
} // namespace

std::optional<Type> findType(llvm::StringRef name) {
  for (unsigned i = 0; i < std::size(typeTable); ++i)
    if (name == typeTable[i].name)
      return Type(i);
  return std::nullopt;
}

llvm::StringRef getName(Type type) { return getInfo(type).name; }
unsigned getBits(Type type) { return getInfo(type).bits; }
bool isSigned(Type type) { return getInfo(type).isSigned; }
bool isFloat(Type type) { return getInfo(type).isFloat; }
bool isInteger(Type type) { return getInfo(type).isInteger; }

std::optional<Space> findSpace(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<Space>>(name)
      .Case("global", Space::Global)
      .Cases({"shared", "shared::cta"}, Space::Shared)
      .Case("shared::cluster", Space::Cluster)
      .Case("local", Space::Local)
      .Case("const", Space::Const)
      .Cases({"param", "param::entry", "param::func"}, Space::Param)
      .Case("", Space::Generic)
      .Default(std::nullopt);
}

llvm::StringRef getName(Space space) {
  switch (space) {
  case Space::Generic:
    return "generic";
  case Space::Global:
    return "global";
  case Space::Shared:
    return "shared";
  case Space::Local:
    return "local";
  case Space::Const:
    return "const";
  case Space::Param:
    return "param";
  case Space::Cluster:
    return "shared::cluster";
  }
  return "unknown";
}

unsigned Module::getChip() const {
  unsigned chip = 0;
  target.drop_front(3).rtrim("af").getAsInteger(10, chip);
  return chip;
}

llvm::StringRef Instruction::get(llvm::StringRef name) const {
  for (const Binding &binding : bindings)
    if (binding.name == name)
      return binding.value;
  return {};
}

std::string Instruction::getText() const {
  llvm::SmallVector<llvm::StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

std::string Instruction::getOpcode() const {
  std::string opcode = root.str();
  for (llvm::StringRef modifier : modifiers)
    opcode += "." + modifier.str();
  return opcode;
}

const Function *Module::findFunction(llvm::StringRef name) const {
  // A prototype may come before the definition: prefer the latter.
  const Function *found = nullptr;
  auto alias = aliases.find(name);
  if (alias != aliases.end())
    name = alias->second;
  for (const Function &function : functions)
    if (function.name == name && (!found || function.hasBody))
      found = &function;
  return found;
}

const Variable *Module::findVariable(llvm::StringRef name) const {
  for (const Variable &variable : variables)
    if (variable.name == name)
      return &variable;
  return nullptr;
}

std::string Module::describeLocation(const Instruction &instruction) const {
  std::string text;
  for (uint32_t at = instruction.location; at;) {
    const Location &location = locations[at];
    auto file = files.find(location.file);
    text += text.empty() ? "" : ", inlined at ";
    text += file == files.end() ? "file " + std::to_string(location.file)
                                : file->second;
    text += ":" + std::to_string(location.line);
    if (location.column)
      text += ":" + std::to_string(location.column);
    // An inner location was read after the one it is inlined at.
    at = location.inlinedAt < at ? location.inlinedAt : 0;
  }
  return text;
}

llvm::Error makeError(unsigned line, const llvm::Twine &message) {
  return llvm::createStringError(
      std::errc::invalid_argument, "%s",
      ("PTX line " + llvm::Twine(line) + ": " + message).str().c_str());
}

} // namespace tc::emulator::ptx
