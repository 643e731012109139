//===- LowerCompare.cpp - Comparison and selection ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, section 9.7.6.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower/FloatOps.h"
#include "Translate/Lower/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

/// A floating-point type, packed or not.
bool isReal(ptx::Type type) { return ptx::isFloat(getPart(type)); }

CmpInst::Predicate getPredicate(StringRef cmp, ptx::Type type) {
  if (isReal(type))
    return StringSwitch<CmpInst::Predicate>(cmp)
        .Case("eq", CmpInst::FCMP_OEQ)
        .Case("ne", CmpInst::FCMP_ONE)
        .Case("lt", CmpInst::FCMP_OLT)
        .Case("le", CmpInst::FCMP_OLE)
        .Case("gt", CmpInst::FCMP_OGT)
        .Case("ge", CmpInst::FCMP_OGE)
        .Case("equ", CmpInst::FCMP_UEQ)
        .Case("neu", CmpInst::FCMP_UNE)
        .Case("ltu", CmpInst::FCMP_ULT)
        .Case("leu", CmpInst::FCMP_ULE)
        .Case("gtu", CmpInst::FCMP_UGT)
        .Case("geu", CmpInst::FCMP_UGE)
        .Case("num", CmpInst::FCMP_ORD)
        .Default(CmpInst::FCMP_UNO);
  bool isSigned = ptx::isSigned(type);
  return StringSwitch<CmpInst::Predicate>(cmp)
      .Case("eq", CmpInst::ICMP_EQ)
      .Case("ne", CmpInst::ICMP_NE)
      .Cases({"lt", "lo"}, isSigned ? CmpInst::ICMP_SLT : CmpInst::ICMP_ULT)
      .Cases({"le", "ls"}, isSigned ? CmpInst::ICMP_SLE : CmpInst::ICMP_ULE)
      .Cases({"gt", "hi"}, isSigned ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT)
      .Default(isSigned ? CmpInst::ICMP_SGE : CmpInst::ICMP_UGE);
}

/// One part of the comparison.
Value *compare(Emitter &e, const Instruction &in, unsigned part) {
  CmpInst::Predicate predicate = getPredicate(in.get("Cmp"), in.type);
  if (!isReal(in.type))
    return e.b.CreateCmp(predicate, e.arg(in, 1), e.arg(in, 2));
  ptx::Type type = getPart(in.type);
  auto read = [&](unsigned index) {
    return flushInput(e, in, readPart(e, in.operands[index], in.type, part),
                      type);
  };
  return e.b.CreateCmp(predicate, read(1), read(2));
}

/// Joins a comparison with operand `c`, if the instruction has one.
Value *join(Emitter &e, const Instruction &in, Value *value) {
  if (!in.has("BoolOp"))
    return value;
  Value *other = e.read(in.operands[3], ptx::Type::Pred);
  if (in.get("BoolOp") == "and")
    return e.b.CreateAnd(value, other);
  if (in.get("BoolOp") == "or")
    return e.b.CreateOr(value, other);
  return e.b.CreateXor(value, other);
}

/// True as 1.0, or as all ones.
Value *asNumber(Emitter &e, Value *isTrue, ptx::Type type) {
  unsigned bits = ptx::getBits(type);
  uint64_t one = type == ptx::Type::F16    ? 0x3c00
                 : type == ptx::Type::BF16 ? 0x3f80
                 : type == ptx::Type::F32  ? 0x3f800000
                                           : maskTrailingOnes<uint64_t>(bits);
  return e.b.CreateSelect(isTrue, e.number(bits, one), e.number(bits, 0));
}

} // namespace

/// Of packed operands, each half gives its half of the result.
void set(Emitter &e, const Instruction &in) {
  ptx::Type type = *ptx::findType(in.get("SetType"));
  unsigned parts = countParts(in.type);
  ptx::Type partType = parts == 1             ? type
                       : ptx::isInteger(type) ? ptx::Type::U16
                                              : getPart(type);
  SmallVector<Value *, 2> values;
  for (unsigned part = 0; part < parts; ++part)
    values.push_back(asNumber(e, join(e, in, compare(e, in, part)), partType));
  e.write(in.operands[0], joinParts(e, values), type);
}

/// In `p|q`, q gets the complement of the comparison, joined likewise; of
/// packed operands, p the lower half's and q the upper half's.
void setp(Emitter &e, const Instruction &in) {
  Value *isTrue = compare(e, in, 0);
  const ptx::Operand &dest = in.operands[0];
  if (dest.kind != ptx::Operand::Kind::Pair)
    return e.write(dest, join(e, in, isTrue), ptx::Type::Pred);
  Value *other =
      countParts(in.type) == 2 ? compare(e, in, 1) : e.b.CreateNot(isTrue);
  Value *first = join(e, in, isTrue), *second = join(e, in, other);
  e.write(dest.elements[0], first, ptx::Type::Pred);
  e.write(dest.elements[1], second, ptx::Type::Pred);
}

void selp(Emitter &e, const Instruction &in) {
  Value *condition = e.read(in.operands[3], ptx::Type::Pred);
  e.result(in, e.b.CreateSelect(condition, e.arg(in, 1), e.arg(in, 2)));
}

/// a if c >= 0 else b; NaN picks b, and -0 counts as 0.
void slct(Emitter &e, const Instruction &in) {
  Value *c = flushInput(e, in, e.arg(in, 3), in.type);
  Value *isPositive =
      ptx::isFloat(in.type)
          ? e.b.CreateFCmpOGE(c, ConstantFP::get(c->getType(), 0.0))
          : e.b.CreateICmpSGE(c, ConstantInt::get(c->getType(), 0));
  ptx::Type type = *ptx::findType(in.get("Select"));
  e.write(in.operands[0],
          e.b.CreateSelect(isPositive, e.read(in.operands[1], type),
                           e.read(in.operands[2], type)),
          type);
}

} // namespace tc::emulator::lower
