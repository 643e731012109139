//===- VerifyBulk.cpp - Rules for bulk copies -----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.9.25.4 to 9.7.9.25.6: who has these instructions, sizes
// that are constants, and lists of coordinates.
//
//===----------------------------------------------------------------------===//

#include "Isa/Verify.h"

#include "llvm/ADT/Twine.h"

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

static Error fail(const Instruction &in, const Twine &message) {
  return makeError(in.line, "'" + in.getOpcode() + "': " + message);
}

Error verifyBulk(const Instruction &in, const Module &module) {
  if (module.getChip() < 90)
    return fail(in, "needs .target sm_90, got '" + module.target + "'");
  // What is loaded into the block alone came later.
  bool isToBlock = in.has("shared::cta") && in.has("global") &&
                   !in.has("bulk_group") && !in.has("prefetch");
  auto least = isToBlock         ? std::make_pair(8u, 6u)
               : in.root == "cp" ? std::make_pair(8u, 0u)
                                 : std::make_pair(8u, 1u);
  if (std::make_pair(module.major, module.minor) < least)
    return fail(in, "needs PTX " + Twine(least.first) + "." +
                        Twine(least.second) + ", got " + Twine(module.major) +
                        "." + Twine(module.minor));
  if (in.has("wait_group") && int64_t(in.operands[0].bits) < 0)
    return fail(in, "expected a number of groups from 0 on, got " +
                        Twine(int64_t(in.operands[0].bits)));
  if (in.root != "cp" || in.has("tensor") || in.has("wait_group") ||
      in.has("commit_group"))
    return Error::success();
  const Operand &size = in.operands[in.has("prefetch") ? 1 : 2];
  if (size.kind == Operand::Kind::Immediate && size.bits % 16)
    return fail(in, "expected a multiple of 16 bytes, got " + Twine(size.bits));
  return Error::success();
}

/// The constants that follow an address: the size of a map, the number of a
/// dimension, or a mode.
Error verifyTensorMap(const Instruction &in, const Module &module) {
  bool isFence = in.root == "fence";
  if (isFence ? module.getChip() < 90 : module.target != "sm_90a")
    return fail(in, Twine("needs .target ") + (isFence ? "sm_90" : "sm_90a") +
                        ", got '" + module.target + "'");
  if (std::make_pair(module.major, module.minor) < std::make_pair(8u, 3u))
    return fail(in, "needs PTX 8.3, got " + Twine(module.major) + "." +
                        Twine(module.minor));
  const Operand *constant = nullptr;
  for (auto [operand, spec] : llvm::zip(in.operands, in.form->operands))
    if (spec.kind == isa::OperandSpec::Kind::Constant)
      constant = &operand;
  if (!constant)
    return Error::success();
  if (isFence || in.has("cp_fenceproxy"))
    return constant->bits == 128
               ? Error::success()
               : fail(in, "expected 128 bytes, got " + Twine(constant->bits));
  StringRef mode = in.get("MapMode");
  unsigned most = mode == "elemtype"        ? 12
                  : mode == "swizzle_mode"  ? 3
                  : mode == "fill_mode"     ? 1
                  : !mode.empty()           ? 2
                  : in.has("global_stride") ? 3
                                            : 4;
  return constant->bits <= most
             ? Error::success()
             : fail(in, "expected a number from 0 to " + Twine(most) +
                            ", got " + Twine(constant->bits));
}

/// A vector of registers and constants.
static Error verifyList(const Instruction &in, const Operand &operand,
                        unsigned count, unsigned bits, StringRef what,
                        const Function &function) {
  if (operand.kind != Operand::Kind::Vector || operand.elements.size() != count)
    return fail(in, "expected a vector of " + Twine(count) + " " + what);
  for (const Operand &element : operand.elements) {
    if (element.kind == Operand::Kind::Immediate &&
        element.literal == Operand::Literal::Integer)
      continue;
    if (element.kind != Operand::Kind::Register || element.negated ||
        getBits(function.registers[element.reg].type) != bits)
      return fail(in, "expected " + what + " to be registers of " +
                          Twine(bits) + " bits");
  }
  return Error::success();
}

/// 3 of "3d".
static unsigned getRank(const Instruction &in) {
  StringRef word = in.has("Dim") ? in.get("Dim") : in.get("DimIm2col");
  return word.empty() ? 0 : word[0] - '0';
}

Error verifyCoordinates(const Instruction &in, const Operand &operand,
                        const Function &function) {
  if (operand.kind != Operand::Kind::Address || operand.elements.size() != 2)
    return fail(in, "expected a tensor map and coordinates in brackets");
  return verifyList(in, operand.elements[1], getRank(in), 32, "coordinates",
                    function);
}

Error verifyOffsets(const Instruction &in, const Operand &operand,
                    const Function &function) {
  return verifyList(in, operand, getRank(in) - 2, 16, "offsets", function);
}

} // namespace tc::emulator::ptx
