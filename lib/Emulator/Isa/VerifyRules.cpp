//===- VerifyRules.cpp - Rules beyond the table ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What PTX asks of single instructions and a table row cannot say.
//
//===----------------------------------------------------------------------===//

#include "Isa/Isa.h"
#include "Isa/Verify.h"

#include "llvm/ADT/Twine.h"

using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

namespace tc::emulator::ptx {

namespace {

Error fail(const Instruction &in, const Twine &message) {
  return makeError(in.line, "'" + in.getOpcode() + "': " + message);
}

/// Section 9.7.9.21: which conversions want which rounding.
Error verifyConversion(const Instruction &in, const Function &function) {
  if (!in.has("Dst") || !in.has("Src"))
    return Error::success();
  Type to = *findType(in.get("Dst")), from = *findType(in.get("Src"));
  StringRef rounding = in.get("Rounding");
  bool isWhole = rounding.size() == 3;
  bool toFloat = isFloat(to), fromFloat = isFloat(from);
  // .bf16 holds no more of .f16 than the other way round.
  bool narrows =
      toFloat && fromFloat &&
      (getBits(to) < getBits(from) || (from == Type::F16 && to == Type::BF16));
  bool mayNarrow = from == Type::BF16 && to == Type::F16;
  if (toFloat && isInteger(from) && (rounding.empty() || isWhole))
    return fail(in, "expected .rn, .rz, .rm or .rp");
  if (isInteger(to) && fromFloat && !isWhole)
    return fail(in, "expected .rni, .rzi, .rmi or .rpi");
  if (isInteger(to) && isInteger(from) && !rounding.empty())
    return fail(in, "expected no rounding between integers");
  if (narrows && (rounding.empty() || isWhole))
    return fail(in, "expected .rn, .rz, .rm or .rp");
  if (toFloat && fromFloat && !narrows && !mayNarrow && !rounding.empty() &&
      (!isWhole || to != from))
    return fail(in, "expected no rounding for a conversion that is exact");
  // The range of one integer type holds that of another.
  bool isHeld = isSigned(to) == isSigned(from)
                    ? getBits(to) >= getBits(from)
                    : isSigned(to) && getBits(to) > getBits(from);
  if (in.has("sat") && isInteger(to) && isInteger(from) && isHeld)
    return fail(in, "'.sat' needs a source with more numbers");
  bool hasBrain = to == Type::BF16 || from == Type::BF16;
  if (hasBrain && in.has("sat"))
    return fail(in, "'.sat' does not convert .bf16");
  auto isWide = [&](unsigned index, Type type) {
    const Operand &operand = in.operands[index];
    return getBits(type) == 8 && operand.kind == Operand::Kind::Register &&
           getBits(function.registers[operand.reg].type) != 8;
  };
  if (hasBrain && (isWide(0, to) || isWide(1, from)))
    return fail(in, "expected a register of 8 bits next to .bf16");
  if (mayNarrow && isWhole)
    return fail(in, "expected .rn, .rz, .rm or .rp");
  if (in.has("ftz") && to != Type::F32 && from != Type::F32)
    return fail(in, "'.ftz' needs .f32");
  return Error::success();
}

/// A cache policy and the word that announces it come together.
Error verifyPolicy(const Instruction &in) {
  if (in.form->operands.empty() || in.form->operands.back().type != "b64" ||
      !in.form->operands.back().isOptional)
    return Error::success();
  bool isThere = in.operands.size() == in.form->operands.size();
  if (isThere == in.has("L2::cache_hint"))
    return Error::success();
  return fail(in, isThere ? "a cache policy needs '.L2::cache_hint'"
                          : "expected a cache policy as the last operand");
}

/// `ld.param` and `st.param` by name are checked here, once and for all.
Error verifyParameter(const Instruction &in, const Operand &address,
                      unsigned bytes, const Function &function) {
  const Operand &base = address.elements.front();
  bool isStore = in.root == "st";
  if (base.kind != Operand::Kind::Variable) {
    if (!function.isEntry)
      return fail(in, "expected a parameter's name as the address");
    if (isStore)
      return fail(in, "kernel parameters cannot be written");
    return Error::success();
  }
  const Variable &variable = *base.variable;
  if (variable.space != Space::Param)
    return fail(in, "expected a parameter, got '" + variable.name + "' in ." +
                        getName(variable.space));
  if (isStore && variable.isFormal && function.isEntry)
    return fail(in, "kernel parameters cannot be written");
  if (address.offset < 0 || uint64_t(address.offset) + bytes > variable.bytes)
    return fail(in, "access of " + Twine(bytes) + " bytes at offset " +
                        Twine(address.offset) + " of parameter '" +
                        variable.name + "', which has " +
                        Twine(variable.bytes) + " bytes");
  if (address.offset % getBytes(in.type))
    return fail(in, "offset " + Twine(address.offset) + " is not aligned to " +
                        Twine(getBytes(in.type)));
  return Error::success();
}

Error verifyAccess(const Instruction &in, const Operand &address,
                   const Function &function) {
  unsigned count = 1;
  in.get("Vec").drop_front(in.has("Vec")).getAsInteger(10, count);
  unsigned bytes = count * getBytes(in.type);
  if (bytes > 32)
    return fail(in, "an access has at most 32 bytes, got " + Twine(bytes));
  for (StringRef name : {"Space", "StSpace"})
    if (findSpace(in.get(name)) == Space::Param)
      return verifyParameter(in, address, bytes, function);
  const Operand &base = address.elements.front();
  if (base.kind == Operand::Kind::Variable &&
      base.variable->space == Space::Param)
    return fail(in, "parameter '" + base.name + "' needs .param");
  return Error::success();
}

/// Section 9.7.13.1: 16 barriers, thread counts in whole warps.
Error verifyBarrier(const Instruction &in) {
  unsigned first = in.has("red");
  bool hasCount = in.operands.size() > 1 + 2 * first;
  auto isConstant = [](const Operand &operand) {
    return operand.kind == Operand::Kind::Immediate;
  };
  const Operand &barrier = in.operands[first];
  if (isConstant(barrier) && barrier.bits > 15)
    return fail(in,
                "expected a barrier from 0 to 15, got " + Twine(barrier.bits));
  if (!hasCount || !isConstant(in.operands[first + 1]))
    return Error::success();
  uint64_t count = in.operands[first + 1].bits;
  if (count % 32 || count == 0)
    return fail(in, "expected a thread count that is a multiple of 32, got " +
                        Twine(count));
  return Error::success();
}

/// Section 9.7.9.25.3.1: sizes of cp.async, in bytes.
Error verifyCopy(const Instruction &in) {
  uint64_t bytes = in.operands[2].bits;
  bool isCg = in.has("cg");
  if (bytes != 16 && (isCg || (bytes != 4 && bytes != 8)))
    return fail(in, Twine(isCg ? "expected a copy of 16 bytes, got "
                               : "expected a copy of 4, 8 or 16 bytes, got ") +
                        Twine(bytes));
  bool isConstant =
      in.operands.size() > 3 && in.operands[3].kind == Operand::Kind::Immediate;
  if (isConstant && in.form->operands[3].type.empty())
    return fail(in, "expected a predicate register");
  if (isConstant && in.form->operands[3].type == "u32" &&
      in.operands[3].bits > bytes)
    return fail(in, "expected a source size of at most " + Twine(bytes) +
                        " bytes, got " + Twine(in.operands[3].bits));
  return Error::success();
}

/// Section 9.7.19.5.
Error verifyRegisterCount(const Instruction &in) {
  uint64_t count = in.operands[0].bits;
  if (count % 8 || count < 24 || count > 256)
    return fail(in,
                "expected a multiple of 8 from 24 to 256, got " + Twine(count));
  return Error::success();
}

/// Sections 9.7.6 and 9.7.7: orderings by type, and what `set` may give.
Error verifyComparison(const Instruction &in) {
  StringRef cmp = in.get("Cmp");
  bool isUnsignedOnly =
      cmp == "lo" || cmp == "ls" || cmp == "hi" || cmp == "hs";
  bool isFloatOnly = cmp.size() == 3;
  bool isBits = getName(in.type).starts_with("b") && isInteger(in.type);
  bool isPacked = in.type == Type::F16X2 || in.type == Type::BF16X2;
  bool isReal = isFloat(in.type) || isPacked;
  if (isReal ? isUnsignedOnly : isFloatOnly)
    return fail(in, "'." + cmp + "' does not compare ." + getName(in.type));
  if ((isBits && cmp != "eq" && cmp != "ne") ||
      (isUnsignedOnly && isSigned(in.type)))
    return fail(in, "'." + cmp + "' does not compare ." + getName(in.type));
  if (in.has("ftz") && in.type != Type::F32 && in.type != Type::F16 &&
      in.type != Type::F16X2)
    return fail(in, "'.ftz' needs .f32 or .f16");
  if (in.root != "set")
    return Error::success();
  Type to = *findType(in.get("SetType"));
  bool isHalf = isReal && getBits(in.type) == 16;
  bool toWord = isInteger(to) && getBits(to) == 32;
  if (in.has("ftz") && to == Type::BF16)
    return fail(in, "'.ftz' does not give .bf16");
  bool isFine = isPacked ? to == in.type || toWord
                : isHalf ? to == in.type || isInteger(to)
                         : toWord || to == Type::F32 || to == Type::F16 ||
                               to == Type::BF16;
  return isFine ? Error::success()
                : fail(in, "a comparison of ." + getName(in.type) +
                               " does not give ." + getName(to));
}

/// Section 9.7.13.6: how many values a vector of these may have.
Error verifyAtomicVector(const Instruction &in) {
  if (!in.has("Vec"))
    return Error::success();
  unsigned count = 0;
  in.get("Vec").drop_front().getAsInteger(10, count);
  unsigned most = 128 / getBits(in.type);
  return count <= most ? Error::success()
                       : fail(in, "expected at most " + Twine(most) +
                                      " values, got " + Twine(count));
}

} // namespace

Error verifyRules(const Instruction &in, const Function &function) {
  if (Error error = verifyPolicy(in))
    return error;
  if (in.has("async") && (in.root == "st" || in.root == "red"))
    return verifyAtomicVector(in);
  if (in.root == "cvt")
    return verifyConversion(in, function);
  if (in.root == "ld" || in.root == "ldu")
    return verifyAccess(in, in.operands[1], function);
  if (in.root == "st")
    return verifyAccess(in, in.operands.front(), function);
  if (in.root == "setp" || in.root == "set")
    return verifyComparison(in);
  if (in.root == "atom" || in.root == "red") {
    if (Error error = verifyAtomicVector(in))
      return error;
    const Operand &address = in.operands[in.root == "atom"];
    return verifyAccess(in, address, function);
  }
  if ((in.root == "bar" || in.root == "barrier") && !in.has("warp") &&
      !in.has("cluster"))
    return verifyBarrier(in);
  if (in.root == "cp" && in.has("global") && !in.has("bulk"))
    return verifyCopy(in);
  if (in.root == "mbarrier" && in.has("Arrive") && in.has("shared::cluster") &&
      in.operands[0].kind != Operand::Kind::Sink)
    return fail(in, "expected '_' instead of a state of another block");
  if (in.root == "setmaxnreg")
    return verifyRegisterCount(in);
  return Error::success();
}

} // namespace tc::emulator::ptx
