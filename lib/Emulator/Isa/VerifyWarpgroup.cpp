//===- VerifyWarpgroup.cpp - Rules for matrices of warpgroups -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.15: who has these instructions, and what the constants
// behind the matrices may be.
//
//===----------------------------------------------------------------------===//

#include "Isa/Verify.h"

#include "llvm/ADT/Twine.h"

using llvm::Error;
using llvm::Twine;

namespace tc::emulator::ptx {

static Error fail(const Instruction &in, const Twine &message) {
  return makeError(in.line, "'" + in.getOpcode() + "': " + message);
}

/// First the signs of a and b, then who is transposed.
static Error verifyConstants(const Instruction &in) {
  unsigned place = 0;
  for (auto [operand, spec] : llvm::zip(in.operands, in.form->operands)) {
    if (spec.kind != isa::OperandSpec::Kind::Constant)
      continue;
    int64_t value = operand.bits;
    bool isSign = place++ < 2;
    if (isSign && value != 1 && value != -1)
      return fail(in, "expected 1 or -1 as the sign of " +
                          Twine(place == 1 ? "a" : "b") + ", got " +
                          Twine(value));
    if (!isSign && value != 0 && value != 1)
      return fail(in,
                  "expected 0 or 1 for a transposition, got " + Twine(value));
  }
  return Error::success();
}

Error verifyWarpgroup(const Instruction &in, const Module &module) {
  if (module.target != "sm_90a")
    return fail(in, "needs .target sm_90a, got '" + module.target + "'");
  auto version = std::make_pair(module.major, module.minor);
  if (version < std::make_pair(8u, 0u))
    return fail(in, "needs PTX 8.0, got " + Twine(module.major) + "." +
                        Twine(module.minor));
  if (in.has("wait_group")) {
    int64_t groups = in.operands[0].bits;
    return groups >= 0 ? Error::success()
                       : fail(in, "expected a number of groups from 0 on, "
                                  "got " +
                                      Twine(groups));
  }
  if (in.get("Byte") != in.get("Byte2") && version < std::make_pair(8u, 4u))
    return fail(in, "different types of bytes need PTX 8.4, got " +
                        Twine(module.major) + "." + Twine(module.minor));
  return verifyConstants(in);
}

} // namespace tc::emulator::ptx
