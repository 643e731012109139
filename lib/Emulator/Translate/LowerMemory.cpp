//===- LowerMemory.cpp - Data movement ------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, sections 9.7.9 and 9.7.13.6: moves, loads, stores, address
// conversion and atomics. Cache operators and eviction hints change no result
// and are dropped here, after the table has accepted them.
//
//===----------------------------------------------------------------------===//

#include "Translate/Emitter.h"
#include "Translate/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

ptx::Space spaceOf(const Instruction &in) {
  for (StringRef set : {"Space", "StSpace", "AtomSpace", "CvtaSpace"})
    if (in.has(set))
      return *ptx::findSpace(in.get(set));
  return in.has("global") ? ptx::Space::Global : ptx::Space::Generic;
}

/// Another thread may change the memory between two such accesses.
bool isVolatile(const Instruction &in) {
  return in.has("volatile") || in.has("LdOrder") || in.has("StOrder");
}

/// The values of a vector operand, or the operand itself.
ArrayRef<ptx::Operand> elementsOf(const ptx::Operand &operand) {
  if (operand.kind == ptx::Operand::Kind::Vector)
    return operand.elements;
  return operand;
}

} // namespace

/// `{a, b}` on the right packs, on the left unpacks, the first element lowest.
void mov(Emitter &e, const Instruction &in) {
  const ptx::Operand &dest = in.operands[0], &source = in.operands[1];
  unsigned bits = ptx::getBits(in.type);
  Value *value = nullptr;
  if (source.kind == ptx::Operand::Kind::Vector) {
    unsigned part = bits / source.elements.size(), shift = 0;
    value = ConstantInt::get(e.intType(bits), 0);
    for (const ptx::Operand &element : source.elements) {
      Value *piece = e.b.CreateZExt(e.readBits(element, part), e.intType(bits));
      value = e.b.CreateOr(value, e.b.CreateShl(piece, shift));
      shift += part;
    }
  } else {
    value = e.b.CreateBitCast(e.arg(in, 1), e.intType(bits));
  }
  if (dest.kind != ptx::Operand::Kind::Vector)
    return e.write(dest, value, in.type);
  unsigned part = bits / dest.elements.size(), shift = 0;
  for (const ptx::Operand &element : dest.elements) {
    e.write(element,
            e.b.CreateTrunc(e.b.CreateLShr(value, shift), e.intType(part)),
            ptx::Type::B32);
    shift += part;
  }
}

void load(Emitter &e, const Instruction &in) {
  ArrayRef<ptx::Operand> elements = elementsOf(in.operands[0]);
  unsigned bytes = ptx::getBytes(in.type);
  Value *pointer =
      e.access(in, in.operands[1], spaceOf(in), bytes * elements.size(), false);
  Align align(spaceOf(in) == ptx::Space::Param ? 1 : bytes);
  SmallVector<Value *> values;
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value *at =
        e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), pointer, i * bytes);
    values.push_back(
        e.b.CreateAlignedLoad(e.intType(8 * bytes), at, align, isVolatile(in)));
  }
  // The address register may be one of the destinations.
  for (auto [element, value] : zip(elements, values))
    e.write(element, value, in.type);
}

void store(Emitter &e, const Instruction &in) {
  ArrayRef<ptx::Operand> elements = elementsOf(in.operands[1]);
  unsigned bytes = ptx::getBytes(in.type);
  Value *pointer =
      e.access(in, in.operands[0], spaceOf(in), bytes * elements.size(), true);
  Align align(spaceOf(in) == ptx::Space::Param ? 1 : bytes);
  for (unsigned i = 0; i < elements.size(); ++i) {
    Value *at =
        e.b.CreateConstInBoundsGEP1_64(e.b.getInt8Ty(), pointer, i * bytes);
    Value *bits =
        e.b.CreateBitCast(e.read(elements[i], in.type), e.intType(8 * bytes));
    e.b.CreateAlignedStore(bits, at, align, isVolatile(in));
  }
}

void cvta(Emitter &e, const Instruction &in) {
  Value *address = e.readBits(in.operands[1], 64);
  Value *base = e.genericBase(spaceOf(in));
  e.result(in, in.has("to") ? e.b.CreateSub(address, base)
                            : e.b.CreateAdd(address, base));
}

namespace {

AtomicRMWInst::BinOp getAtomic(const Instruction &in) {
  using RMW = AtomicRMWInst;
  if (in.has("exch"))
    return RMW::Xchg;
  if (in.has("add"))
    return RMW::FAdd;
  bool isSigned = ptx::isSigned(in.type);
  for (StringRef set : {"AtomInt", "AtomBit", "AtomWrap"})
    if (in.has(set))
      return StringSwitch<RMW::BinOp>(in.get(set))
          .Case("add", RMW::Add)
          .Case("min", isSigned ? RMW::Min : RMW::UMin)
          .Case("max", isSigned ? RMW::Max : RMW::UMax)
          .Case("and", RMW::And)
          .Case("or", RMW::Or)
          .Case("xor", RMW::Xor)
          .Case("inc", RMW::UIncWrap)
          .Default(RMW::UDecWrap);
  return RMW::BAD_BINOP;
}

} // namespace

/// `red` is `atom` without a result.
void atom(Emitter &e, const Instruction &in) {
  bool hasResult = in.root == "atom";
  unsigned bytes = ptx::getBytes(in.type);
  Value *pointer =
      e.access(in, in.operands[hasResult], spaceOf(in), bytes, true);
  Value *operand = e.arg(in, hasResult + 1);
  Value *old = nullptr;
  if (in.has("cas"))
    old = e.b.CreateExtractValue(
        e.b.CreateAtomicCmpXchg(pointer, operand, e.arg(in, hasResult + 2),
                                Align(bytes), AtomicOrdering::Monotonic,
                                AtomicOrdering::Monotonic),
        0);
  else
    old = e.b.CreateAtomicRMW(getAtomic(in), pointer, operand, Align(bytes),
                              AtomicOrdering::Monotonic);
  if (hasResult)
    e.result(in, old);
}

/// A hint, or a wait that needs no waiting.
void nothing(Emitter &, const Instruction &) {}

} // namespace tc::emulator::lower
