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
#include "Translate/FloatOps.h"
#include "Translate/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

CmpInst::Predicate getPredicate(StringRef cmp, ptx::Type type) {
  if (ptx::isFloat(type))
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

Value *compare(Emitter &e, const Instruction &in) {
  Value *x = flushInput(e, in, e.arg(in, 1));
  Value *y = flushInput(e, in, e.arg(in, 2));
  return e.b.CreateCmp(getPredicate(in.get("Cmp"), in.type), x, y);
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

} // namespace

/// The result is all ones, or 1.0, for true.
void set(Emitter &e, const Instruction &in) {
  Value *isTrue = join(e, in, compare(e, in));
  ptx::Type type = *ptx::findType(in.get("SetType"));
  Value *value = ptx::isFloat(type) ? e.b.CreateUIToFP(isTrue, e.typeOf(type))
                                    : e.b.CreateSExt(isTrue, e.typeOf(type));
  e.write(in.operands[0], value, type);
}

/// In `p|q`, q gets the complement of the comparison, joined likewise.
void setp(Emitter &e, const Instruction &in) {
  Value *isTrue = compare(e, in);
  const ptx::Operand &dest = in.operands[0];
  if (dest.kind != ptx::Operand::Kind::Pair)
    return e.write(dest, join(e, in, isTrue), ptx::Type::Pred);
  Value *first = join(e, in, isTrue);
  Value *second = join(e, in, e.b.CreateNot(isTrue));
  e.write(dest.elements[0], first, ptx::Type::Pred);
  e.write(dest.elements[1], second, ptx::Type::Pred);
}

void selp(Emitter &e, const Instruction &in) {
  Value *condition = e.read(in.operands[3], ptx::Type::Pred);
  e.result(in, e.b.CreateSelect(condition, e.arg(in, 1), e.arg(in, 2)));
}

/// a if c >= 0 else b; NaN picks b, and -0 counts as 0.
void slct(Emitter &e, const Instruction &in) {
  Value *c = flushInput(e, in, e.arg(in, 3));
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
