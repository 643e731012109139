//===- Fidelity.cpp - How closely instructions are executed ---------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fidelity.h, and how it is written.
//
//===----------------------------------------------------------------------===//

#include "Isa/Fidelity.h"
#include "Isa/Isa.h"

#include "tc/Schema/Structure.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

namespace tc::emulator {

namespace {

using Names = std::set<std::string>;

/// Registers of which every machine has its own values.
llvm::StringRef getMachineRegister(const ptx::Operand &operand) {
  if (operand.kind != ptx::Operand::Kind::Special)
    return "";
  switch (operand.special) {
  case ptx::Special::Clock:
    return "%clock";
  case ptx::Special::Clock64:
    return "%clock64";
  case ptx::Special::GlobalTimer:
    return "%globaltimer";
  case ptx::Special::SmId:
    return "%smid";
  case ptx::Special::NSmId:
    return "%nsmid";
  case ptx::Special::GridId:
    return "%gridid";
  default:
    return "";
  }
}

std::string list(const std::vector<std::string> &names) {
  constexpr size_t most = 6;
  std::string text = llvm::join(
      llvm::ArrayRef(names).take_front(std::min(most, names.size())), ", ");
  if (names.size() > most)
    text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

} // namespace

Fidelity isa::getFidelity(llvm::ArrayRef<ptx::Instruction> instructions,
                          bool isHardware,
                          llvm::function_ref<bool(unsigned)> isTaken) {
  std::set<unsigned> lines, inexact;
  Names approximate, sums, flushed, machine;
  for (const ptx::Instruction &in : instructions) {
    // What the translator makes of calls has no row.
    if (!in.form || !isTaken(in.line))
      continue;
    lines.insert(in.line);
    Names *names = nullptr;
    switch (in.form->row->accuracy) {
    case Accuracy::Documented:
      break;
    case Accuracy::Approximate:
      names = &approximate;
      break;
    case Accuracy::Sum:
      names = &sums;
      break;
    case Accuracy::Flushes:
      // In shared memory a GPU keeps them, too.
      if (in.type == ptx::Type::F32 &&
          llvm::none_of(in.modifiers, [](llvm::StringRef word) {
            return word.starts_with("shared");
          }))
        names = &flushed;
      break;
    }
    if (names) {
      names->insert(in.getOpcode());
      inexact.insert(in.line);
    }
    for (const ptx::Operand &operand : in.operands)
      if (llvm::StringRef name = getMachineRegister(operand); !name.empty()) {
        machine.insert(name.str());
        inexact.insert(in.line);
      }
  }
  auto take = [](const Names &names) {
    return std::vector<std::string>(names.begin(), names.end());
  };
  return {lines.size(),      lines.size() - inexact.size(),
          isHardware,        false,
          take(approximate), take(sums),
          take(flushed),     take(machine)};
}

std::string describeFidelity(const Fidelity &fidelity) {
  std::string what = fidelity.isOfExecuted ? " executed" : "";
  std::string text = std::to_string(fidelity.exact) + " of " +
                     std::to_string(fidelity.instructions) + what +
                     " instructions exactly as the PTX document says";
  if (!fidelity.approximate.empty())
    text += "; by the host's functions, which are closer than the document "
            "asks for: " +
            list(fidelity.approximate);
  if (!fidelity.sums.empty())
    text += (fidelity.isHardware
                 ? "; sums as tensor units of the chip make them: "
                 : "; sums exact and rounded once, which tensor units do not "
                   "(--arithmetic=hardware does as they do): ") +
            list(fidelity.sums);
  if (!fidelity.flushed.empty())
    text += "; subnormal numbers kept, which a GPU flushes in global memory: " +
            list(fidelity.flushed);
  if (!fidelity.machine.empty())
    text += "; values of the emulator's own: " + list(fidelity.machine);
  return text;
}

} // namespace tc::emulator

namespace mlir::tc::schema {

template <>
const Structure<::tc::emulator::Fidelity> &
describe<::tc::emulator::Fidelity>() {
  using ::tc::emulator::Fidelity;
  auto getArithmetic = [](const Fidelity &fidelity) {
    return llvm::StringRef(fidelity.isHardware ? "hardware" : "exact");
  };
  static const auto structure =
      Structure<Fidelity>("fidelity",
                          "How closely the instructions of a kernel were "
                          "executed.")
          .member("instructions", &Fidelity::instructions, "lines of the PTX")
          .member("exact", &Fidelity::exact,
                  "those executed exactly as the PTX document says")
          .member("executed", &Fidelity::isOfExecuted,
                  "whether only executed instructions count; else all of the "
                  "kernel do")
          .member("arithmetic", getArithmetic,
                  "hardware if sums of products are those of tensor units")
          .member("approximate", &Fidelity::approximate,
                  "opcodes that the host's functions computed")
          .member("sums", &Fidelity::sums,
                  "opcodes of sums of products in narrow floating point")
          .member("subnormals_kept", &Fidelity::flushed,
                  "opcodes that keep subnormal numbers, which a GPU flushes")
          .member("machine_registers", &Fidelity::machine,
                  "registers whose values are the emulator's own")
          .member("text", ::tc::emulator::describeFidelity,
                  "all of it in words");
  return structure;
}

} // namespace mlir::tc::schema
