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
#include "Translate/Lower/Lower.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::emulator::lower {

namespace {

/// The values of a vector operand, or the operand itself.
ArrayRef<ptx::Operand> elementsOf(const ptx::Operand &operand) {
  if (operand.kind == ptx::Operand::Kind::Vector)
    return operand.elements;
  return operand;
}

/// Accesses to parameters need no alignment of their own.
bool isAligned(const Instruction &in) {
  return getSpace(in) != ptx::Space::Param;
}

/// The value of the block that control comes from.
Value *choose(Emitter &e, std::pair<Value *, BasicBlock *> one,
              std::pair<Value *, BasicBlock *> other) {
  PHINode *phi = e.b.CreatePHI(one.first->getType(), 2);
  phi->addIncoming(one.first, one.second);
  phi->addIncoming(other.first, other.second);
  return phi;
}

} // namespace

/// `{a, b}` on the right packs, on the left unpacks, the first element lowest.
void mov(Emitter &e, const Instruction &in) {
  const ptx::Operand &dest = in.operands[0], &source = in.operands[1];
  unsigned bits = ptx::getBits(in.type);
  Value *value = nullptr;
  if (source.kind == ptx::Operand::Kind::Vector) {
    unsigned part = bits / source.elements.size(), shift = 0;
    value = e.number(bits, 0);
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
  SmallVector<Value *> values;
  if (e.findPart(in.operands[1])) {
    for (unsigned i = 0; i < elements.size(); ++i)
      values.push_back(e.readRegister(*e.findPart(in.operands[1], i * bytes)));
  } else {
    LaneAddress address = e.access(in, in.operands[1], bytes * elements.size());
    values = e.load(address, 8 * bytes, elements.size(), isAligned(in),
                    isStrong(in));
    if (isStrong(in))
      e.pause(in);
  }
  // The address register may be one of the destinations.
  for (auto [element, value] : zip(elements, values))
    e.write(element, value, in.type);
}

void store(Emitter &e, const Instruction &in) {
  ArrayRef<ptx::Operand> elements = elementsOf(in.operands[1]);
  unsigned bytes = ptx::getBytes(in.type);
  SmallVector<Value *> values;
  for (const ptx::Operand &element : elements)
    values.push_back(
        e.b.CreateBitCast(e.read(element, in.type), e.intType(8 * bytes)));
  if (e.findPart(in.operands[0])) {
    for (auto [i, value] : enumerate(values))
      e.writeRegister(*e.findPart(in.operands[0], i * bytes), value);
    return;
  }
  LaneAddress address = e.access(in, in.operands[0], bytes * elements.size());
  if (!isStrong(in))
    e.tellValues(in, address, values);
  e.store(address, values, isAligned(in), isStrong(in));
  if (!address.partial)
    return;
  BasicBlock *join = e.enterPartial(in, address);
  e.writePartial(in, address, values);
  e.b.CreateBr(join);
  e.b.SetInsertPoint(join);
}

void cvta(Emitter &e, const Instruction &in) {
  Value *address = e.readBits(in.operands[1], 64);
  Value *base = nullptr;
  if (getSpace(in) == ptx::Space::Cluster)
    base = in.has("to") ? e.clusterStart() : e.clusterBase(address);
  else
    base = e.genericBase(getSpace(in));
  e.result(in, in.has("to") ? e.b.CreateSub(address, base)
                            : e.b.CreateAdd(address, base));
}

namespace {

AtomicRMWInst::BinOp getAtomic(const Instruction &in) {
  using RMW = AtomicRMWInst;
  if (in.has("exch"))
    return RMW::Xchg;
  if (in.has("add"))
    return ptx::isFloat(in.type) ? RMW::FAdd : RMW::Add;
  bool isSigned = ptx::isSigned(in.type);
  for (StringRef set : {"AtomMinMax", "AtomBit", "AtomWrap"})
    if (in.has(set))
      return StringSwitch<RMW::BinOp>(in.get(set))
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

/// What the lanes find at `address`, one after the other.
static Value *exchangeAll(Emitter &e, const Instruction &in,
                          const LaneAddress &address) {
  bool hasResult = in.root == "atom";
  unsigned bytes = ptx::getBytes(in.type);
  SmallVector<Value *> operands;
  for (unsigned i = hasResult + 1; i < in.operands.size(); ++i)
    operands.push_back(e.spill(e.arg(in, i)));
  Type *type = e.typeOf(in.type)->getScalarType();
  Value *pointers = e.spill(e.pointersOf(address));
  auto exchange = [&](Value *lane) -> Value * {
    Value *pointer = e.loadLane(pointers, e.b.getPtrTy(), lane);
    Value *operand = e.loadLane(operands[0], type, lane);
    if (!in.has("cas"))
      return e.b.CreateAtomicRMW(getAtomic(in), pointer, operand, Align(bytes),
                                 AtomicOrdering::Monotonic);
    return e.b.CreateExtractValue(
        e.b.CreateAtomicCmpXchg(
            pointer, operand, e.loadLane(operands[1], type, lane), Align(bytes),
            AtomicOrdering::Monotonic, AtomicOrdering::Monotonic),
        0);
  };
  if (e.width == 1)
    return exchange(nullptr);
  Value *results = e.createArray(type, warpSize);
  e.forEachLane([&](Value *lane) {
    e.b.CreateStore(exchange(lane), e.b.CreateGEP(type, results, lane));
  });
  return e.b.CreateAlignedLoad(e.laneType(type), results, lanesAlign);
}

/// `red` is `atom` without a result. Lanes take turns.
void atom(Emitter &e, const Instruction &in) {
  bool hasResult = in.root == "atom";
  LaneAddress address =
      e.access(in, in.operands[hasResult], ptx::getBytes(in.type));
  Value *found = exchangeAll(e, in, address);
  if (address.partial) {
    BasicBlock *whole = e.b.GetInsertBlock();
    BasicBlock *join = e.enterPartial(in, address);
    Value *some = Constant::getNullValue(found->getType());
    if (e.width != 1) {
      BasicBlock *before = e.b.GetInsertBlock(), *any = e.newBlock(),
                 *after = e.newBlock();
      e.b.CreateCondBr(e.b.CreateIsNotNull(address.made), any, after);
      e.b.SetInsertPoint(any);
      Value *outer = std::exchange(e.mask, e.toLanes(address.made));
      Value *made = e.b.CreateSelect(
          e.mask, exchangeAll(e, in, e.partialAddress(in, address)), some);
      e.mask = outer;
      any = e.b.GetInsertBlock();
      e.b.CreateBr(after);
      e.b.SetInsertPoint(after);
      some = choose(e, {some, before}, {made, any});
    }
    BasicBlock *part = e.b.GetInsertBlock();
    e.b.CreateBr(join);
    e.b.SetInsertPoint(join);
    found = choose(e, {found, whole}, {some, part});
  }
  if (hasResult)
    e.result(in, found);
  e.pause(in);
}

/// A hint, or a wait that needs no waiting.
void nothing(Emitter &, const Instruction &) {}

} // namespace tc::emulator::lower
