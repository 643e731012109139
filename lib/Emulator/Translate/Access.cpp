//===- Access.cpp - Checked addresses -------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every access is checked for bounds and alignment with one compare a lane: the
// offset into an allocation, rotated right by log2 of the access size, must be
// less than the number of accesses that fit. Misaligned offsets rotate into
// huge numbers. Where the lanes' addresses are a base and known offsets, the
// first and the last stand for all. What fails goes to the runtime out of line.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace tc::emulator {

static Offsets getLocalOffsets(const KernelPlan &plan) {
  Offsets offsets;
  for (unsigned lane = 0; lane < warpSize; ++lane)
    offsets[lane] = lane * plan.localStride();
  return offsets;
}

/// Offsets between lanes that compiled code knows are less than this.
constexpr int64_t mostApart = int64_t(1) << 30;

Value *Emitter::genericBase(ptx::Space space) {
  bool isShared = space == ptx::Space::Shared;
  if (!isShared && space != ptx::Space::Local)
    return number(64, 0);
  Value *start = loadField(isShared ? blockState() : warpState(),
                           isShared ? offsetof(BlockState, shared)
                                    : offsetof(WarpState, local),
                           b.getInt64Ty());
  Value *base =
      b.CreateSub(start, b.getInt64(isShared ? sharedStart : localStart));
  if (isShared)
    return width == 1 ? base : b.CreateVectorSplat(width, base);
  if (translation.mode == Mode::Thread)
    return b.CreateAdd(base,
                       b.CreateMul(b.CreateZExt(fn->getArg(2), b.getInt64Ty()),
                                   b.getInt64(plan.localStride())));
  if (width == 1)
    return base;
  return b.CreateAdd(b.CreateVectorSplat(width, base),
                     offsetsToValue(getLocalOffsets(plan), 64));
}

Value *Emitter::clusterStart() {
  Value *start =
      b.CreateSub(loadField(blockState(), offsetof(BlockState, clusterShared),
                            b.getInt64Ty()),
                  b.getInt64(sharedStart + clusterWindow));
  return width == 1 ? start : b.CreateVectorSplat(width, start);
}

Value *Emitter::clusterBase(Value *address) {
  Value *isOwn = b.CreateICmpULT(address, number(64, clusterWindow));
  return b.CreateSelect(isOwn, genericBase(ptx::Space::Shared), clusterStart());
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

/// Calls a function of the runtime out of line, as it is hardly ever called.
/// That preserves what vectors do not need: LLVM 22 clears the upper halves of
/// vectors before the return of a function that is to preserve all registers.
CallInst *Emitter::callCold(StringRef name, Type *result,
                            ArrayRef<Value *> arguments) {
  CallInst *call =
      b.CreateCall(coldFunction(name, result, arguments), arguments);
  call->setCallingConv(CallingConv::PreserveMost);
  return call;
}

Function *Emitter::coldFunction(StringRef name, Type *result,
                                ArrayRef<Value *> given) {
  Module *module = fn->getParent();
  std::string symbol = ("cold_" + name).str();
  if (Function *known = module->getFunction(symbol))
    return known;
  SmallVector<Type *> types;
  for (Value *argument : given)
    types.push_back(argument->getType());
  Function *slow =
      Function::Create(FunctionType::get(result, types, false),
                       GlobalValue::InternalLinkage, symbol, module);
  slow->setCallingConv(CallingConv::PreserveMost);
  slow->addFnAttr(Attribute::NoInline);
  slow->addFnAttr(Attribute::Cold);
  IRBuilder<>::InsertPointGuard keep(b);
  b.SetInsertPoint(BasicBlock::Create(fn->getContext(), "", slow));
  SmallVector<Value *> arguments;
  for (Argument &argument : slow->args())
    arguments.push_back(&argument);
  CallInst *call = callOnce(name, result, arguments);
  if (result->isVoidTy())
    b.CreateRetVoid();
  else
    b.CreateRet(call);
  return slow;
}

Value *Emitter::rotate(Value *offset, unsigned shift) {
  if (shift == 0)
    return offset;
  return b.CreateIntrinsic(
      Intrinsic::fshr, {offset->getType()},
      {offset, offset, ConstantInt::get(offset->getType(), shift)});
}

/// All lanes that access memory are within `count` accesses from `start`.
Value *Emitter::isWithin(const LaneAddress &address, Value *start, Value *count,
                         unsigned shift) {
  if (!address.pointers) {
    auto [least, most] =
        std::minmax_element(address.offsets.begin(), address.offsets.end());
    Value *offset = b.CreateSub(address.base, start), *result = nullptr;
    for (int64_t extreme : {*least, *most}) {
      Value *isFine = b.CreateICmpULT(
          rotate(b.CreateAdd(offset, b.getInt64(extreme)), shift), count);
      result = result ? b.CreateAnd(result, isFine) : isFine;
      if (*least == *most)
        break;
    }
    return result;
  }
  Value *offset =
      b.CreateSub(address.pointers, b.CreateVectorSplat(warpSize, start));
  Value *isBad = b.CreateICmpUGE(rotate(offset, shift),
                                 b.CreateVectorSplat(warpSize, count));
  if (mask)
    isBad = b.CreateAnd(isBad, mask);
  return b.CreateNot(isAny(isBad));
}

Value *Emitter::constantArray(ArrayRef<uint64_t> numbers, StringRef name) {
  Constant *data = ConstantDataArray::get(fn->getContext(), numbers);
  return new GlobalVariable(*fn->getParent(), data->getType(), true,
                            GlobalValue::PrivateLinkage, data, name);
}

/// A constant array of offsets, or the addresses themselves in memory.
Value *Emitter::offsetsOf(const LaneAddress &address) {
  if (address.pointers)
    return spill(address.pointers);
  return constantArray(
      {reinterpret_cast<const uint64_t *>(address.offsets.data()), warpSize},
      "offsets");
}

/// `address` holds numbers in `space`.
void Emitter::check(const ptx::Instruction &in, LaneAddress &address,
                    ptx::Space space, unsigned bytes) {
  unsigned shift = Log2_32(bytes);
  Value *start = nullptr, *count = nullptr;
  if (space == ptx::Space::Shared) {
    start = b.getInt64(sharedStart);
    count =
        loadField(blockState(), offsetof(BlockState, sharedCount) + 8 * shift,
                  b.getInt64Ty());
  } else if (space == ptx::Space::Local) {
    start = b.getInt64(localStart);
    count = b.getInt64(countAccesses(plan.localBytes, shift));
  } else {
    Value *slots =
        loadField(blockState(), offsetof(BlockState, slots), b.getPtrTy());
    Value *slot = b.CreateConstInBoundsGEP1_64(
        b.getInt8Ty(), slots, uint64_t(siteOf(in)) * sizeof(Slot));
    start = b.CreateLoad(b.getInt64Ty(), slot);
    count = b.CreateLoad(b.getInt64Ty(),
                         b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), slot, 8));
  }
  BasicBlock *slow = newBlock();
  continueIf(isWithin(address, start, count, shift), slow);
  BasicBlock *fine = b.GetInsertBlock();
  b.SetInsertPoint(slow);
  address.number = address.pointers ? b.getInt64(0) : address.base;
  address.numbers = offsetsOf(address);
  CallInst *verdict = callCold("tc_emulator_check", b.getInt64Ty(),
                               {warpState(), b.getInt32(siteOf(in)), maskBits(),
                                address.number, address.numbers});
  if (!translation.hooks.goesOn) {
    b.CreateCondBr(b.CreateICmpEQ(verdict, b.getInt64(allLanesFine)), fine,
                   faultBlock());
    b.SetInsertPoint(fine);
    return;
  }
  BasicBlock *wrong = newBlock();
  address.partial = newBlock("partial");
  b.CreateCondBr(b.CreateICmpEQ(verdict, b.getInt64(allLanesFine)), fine, wrong,
                 MDBuilder(fn->getContext()).createLikelyBranchWeights());
  b.SetInsertPoint(wrong);
  address.made = b.CreateTrunc(verdict, b.getInt32Ty());
  b.CreateCondBr(b.CreateICmpSGE(verdict, b.getInt64(0)), address.partial,
                 faultBlock());
  b.SetInsertPoint(fine);
}

//===----------------------------------------------------------------------===//
// Accesses of some lanes, after a finding
//===----------------------------------------------------------------------===//

BasicBlock *Emitter::enterPartial(const ptx::Instruction &in,
                                  const LaneAddress &address) {
  BasicBlock *join = newBlock();
  b.CreateBr(join);
  b.SetInsertPoint(address.partial);
  if (translation.hooks.accesses)
    tellAccess(in, address.made, address.number, address.numbers);
  return join;
}

LaneAddress Emitter::partialAddress(const ptx::Instruction &in,
                                    const LaneAddress &address) {
  Value *offsets =
      b.CreateAlignedLoad(laneType(b.getInt64Ty()), address.numbers, Align(8));
  LaneAddress some;
  some.pointers =
      b.CreateAdd(b.CreateVectorSplat(warpSize, address.number), offsets);
  makePointers(some, plan.sites[siteOf(in)].space);
  return some;
}

/// Lets the load of some lanes be the one of all that follows, from a copy:
/// code behind a load is better without a second one to choose from.
void Emitter::divert(const ptx::Instruction &in, const LaneAddress &address,
                     LaneAddress &host) {
  Value *&lies = host.pointers ? host.pointers : host.base;
  Offsets offsets = host.offsets;
  if (host.pointers)
    for (unsigned lane = 0; lane < warpSize; ++lane)
      offsets[lane] = lane * plan.sites[siteOf(in)].bytes;
  BasicBlock *whole = b.GetInsertBlock();
  BasicBlock *join = enterPartial(in, address);
  LaneAddress elsewhere;
  elsewhere.base = callCold(
      "tc_emulator_divert", b.getPtrTy(),
      {warpState(), b.getInt32(siteOf(in)), address.made, address.number,
       address.numbers,
       constantArray(
           {reinterpret_cast<const uint64_t *>(offsets.data()), warpSize},
           "offsets")});
  elsewhere.offsets = offsets;
  Value *diverted = elsewhere.base;
  continueIf(b.CreateIsNotNull(diverted), faultBlock());
  if (host.pointers) {
    unsigned old = std::exchange(width, warpSize);
    diverted = pointersOf(elsewhere);
    width = old;
  }
  BasicBlock *part = b.GetInsertBlock();
  b.CreateBr(join);
  b.SetInsertPoint(join);
  PHINode *phi = b.CreatePHI(lies->getType(), 2);
  phi->addIncoming(lies, whole);
  phi->addIncoming(diverted, part);
  lies = phi;
}

void Emitter::writePartial(const ptx::Instruction &in,
                           const LaneAddress &address,
                           ArrayRef<Value *> values) {
  Type *element = values.front()->getType()->getScalarType();
  Value *array = createArray(element, values.size() * warpSize);
  Align align(element->getScalarSizeInBits() / 8);
  for (auto [i, value] : enumerate(values))
    b.CreateAlignedStore(
        value->getType()->isVectorTy() ? value
                                       : b.CreateVectorSplat(warpSize, value),
        b.CreateConstInBoundsGEP1_64(element, array, i * warpSize), align);
  callCold("tc_emulator_write", b.getVoidTy(),
           {warpState(), b.getInt32(siteOf(in)), address.made, address.number,
            address.numbers, array});
}

/// Whether tc_emulator_group may tell of the access.
bool Emitter::mayGroup(const ptx::Instruction &in) const {
  const Site &site = plan.sites[siteOf(in)];
  return translation.hooks.groups && translation.mode != Mode::Thread &&
         site.bytes && !site.isAtomic && !site.isStrong &&
         site.used + 1 == 1u << site.elements &&
         (site.space == ptx::Space::Shared || site.space == ptx::Space::Global);
}

/// `in`, and loads that follow in its block from the same base, if all lanes
/// execute them. No other warp runs in between, and this one neither writes nor
/// synchronises.
SmallVector<const ptx::Instruction *>
Emitter::findGroup(const ptx::Instruction &in) {
  SmallVector<const ptx::Instruction *> group{&in};
  const Site &site = plan.sites[siteOf(in)];
  if (site.isStore || in.guard || mask || translation.mode != Mode::Warp)
    return group;
  const ptx::Operand &base = in.operands[1].elements.front();
  auto hasBase = [&](const ptx::Operand &other) {
    return other.kind == base.kind && other.variable == base.variable &&
           other.reg == base.reg && other.bits == base.bits &&
           other.offset == base.offset;
  };
  bool isSame = true;
  unsigned end = translation.flow.blocks[currentBlock].end;
  for (unsigned i = siteOf(in); i < end && isSame; ++i) {
    const ptx::Instruction &next = flat.body[i];
    const Site &other = plan.sites[i];
    bool isLoad = other.bytes && !other.isStore && !other.isStrong;
    if (!isLoad && next.form->row->effect != isa::Effect::Pure)
      break;
    if (i > siteOf(in) && isLoad && !next.guard && mayGroup(next) &&
        other.space == site.space && other.bytes == site.bytes &&
        hasBase(next.operands[1].elements.front()))
      group.push_back(&next);
    visitDefinitions(flat, next, [&](unsigned reg) {
      isSame &= base.kind != ptx::Operand::Kind::Register || reg != base.reg;
    });
  }
  return group;
}

void Emitter::tellAccess(const ptx::Instruction &in, Value *lanes, Value *base,
                         Value *offsets) {
  if (told.contains(&in))
    return;
  SmallVector<Value *> arguments{warpState(), b.getInt32(siteOf(in)), lanes,
                                 base, offsets};
  bool isGroup = mayGroup(in);
  if (isGroup) {
    unsigned index = plan.sites[siteOf(in)].isStore ? 0 : 1;
    SmallVector<uint64_t> members;
    for (const ptx::Instruction *member : findGroup(in)) {
      if (member != &in)
        told.insert(member);
      members.push_back(siteOf(*member));
      members.push_back(member->operands[index].offset -
                        in.operands[index].offset);
    }
    arguments[1] = constantArray(members, "members");
    arguments.push_back(b.getInt32(members.size() / 2));
  }
  Value *mayGoOn =
      callOnce(isGroup ? "tc_emulator_group" : "tc_emulator_access",
               b.getInt1Ty(), arguments);
  continueIf(mayGoOn, faultBlock());
}

bool Emitter::mayCoincide(const LaneAddress &address) const {
  if (address.pointers || width == 1)
    return width != 1;
  std::set<int64_t> distinct(address.offsets.begin(), address.offsets.end());
  return distinct.size() < warpSize;
}

void Emitter::tellValues(const ptx::Instruction &in, const LaneAddress &address,
                         ArrayRef<Value *> values) {
  if (!translation.hooks.accesses || !mayCoincide(address) ||
      plan.sites[siteOf(in)].space == ptx::Space::Local)
    return;
  Type *i64 = b.getInt64Ty();
  Value *numbers = b.CreatePtrToInt(pointersOf(address), intType(64));
  // Most addresses rise from lane to lane: that needs no call.
  BasicBlock *tell = newBlock(), *told = newBlock();
  SmallVector<int> next(warpSize, warpSize - 1);
  std::iota(next.begin(), next.end() - 1, 1);
  Value *stays = b.CreateICmpUGE(numbers, b.CreateShuffleVector(numbers, next));
  b.CreateCondBr(b.CreateIsNull(b.CreateShl(toBits(stays), 1)), told, tell);
  b.SetInsertPoint(tell);
  Value *addresses = createArray(i64, warpSize);
  b.CreateAlignedStore(numbers, addresses, lanesAlign);
  Value *stored = createArray(i64, values.size() * warpSize);
  for (auto [i, value] : enumerate(values))
    b.CreateAlignedStore(
        b.CreateZExtOrTrunc(value, intType(64)),
        b.CreateConstInBoundsGEP1_64(i64, stored, i * warpSize), lanesAlign);
  continueIf(callOnce("tc_emulator_values", b.getInt1Ty(),
                      {warpState(), b.getInt32(siteOf(in)), maskBits(),
                       addresses, stored}),
             faultBlock());
  b.CreateBr(told);
  b.SetInsertPoint(told);
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

/// What the address operand says, as numbers in the space of the access.
LaneAddress Emitter::readAddress(const ptx::Operand &operand, unsigned bytes) {
  const ptx::Operand &base = operand.elements.front();
  unsigned bits = base.kind == ptx::Operand::Kind::Register
                      ? ptx::getBits(flat.registers[base.reg].type)
                      : 64;
  LaneAddress address;
  bool isKnown = translation.mode == Mode::Thread || width == 1;
  bool mayWrap = true;
  if (translation.mode == Mode::Warp) {
    Shape shape = translation.shapes->shapeOf(base);
    // An alignment that differs between lanes is left to the general case, and
    // so are 32-bit numbers that may wrap, and lanes too far apart for a copy
    // (tc_emulator_divert).
    isKnown = shape.isScalar() &&
              (bits == 64 || shape.isUniform() || shape.most <= 0x7fffffff) &&
              all_of(shape.offsets, [&](int64_t offset) {
                return offset % bytes == 0 && std::abs(offset) < mostApart;
              });
    if (isKnown)
      address.offsets = shape.offsets;
    mayWrap = !isKnown || shape.isUniform();
  } else if (translation.mode == Mode::Masked) {
    isKnown = base.kind == ptx::Operand::Kind::Variable ||
              base.kind == ptx::Operand::Kind::Immediate;
  }
  unsigned old = width;
  width = isKnown ? 1 : warpSize;
  Value *value = readSum(base, operand.offset, mayWrap);
  width = old;
  (isKnown ? address.base : address.pointers) = value;
  return address;
}

/// From numbers in `space` to host pointers.
void Emitter::makePointers(LaneAddress &address, ptx::Space space) {
  bool isLocal = space == ptx::Space::Local;
  unsigned old = width;
  width = address.pointers ? warpSize : 1;
  Value *&value = address.pointers ? address.pointers : address.base;
  if (isLocal || space == ptx::Space::Shared)
    value = b.CreateAdd(value, genericBase(space));
  if (isLocal && !address.pointers && translation.mode != Mode::Thread) {
    Offsets local = getLocalOffsets(plan);
    for (unsigned lane = 0; lane < warpSize; ++lane)
      address.offsets[lane] += local[lane];
  }
  value = b.CreateIntToPtr(value, laneType(b.getPtrTy()));
  width = old;
}

LaneAddress Emitter::access(const ptx::Instruction &in,
                            const ptx::Operand &operand, unsigned bytes) {
  const ptx::Operand &base = operand.elements.front();
  ptx::Space space = plan.sites[siteOf(in)].space;
  LaneAddress address = readAddress(operand, bytes);
  if (space == ptx::Space::Cluster) {
    unsigned old = std::exchange(width, address.pointers ? warpSize : 1);
    Value *&value = address.pointers ? address.pointers : address.base;
    value = b.CreateAdd(value, clusterBase(value));
    width = old;
  }
  // Accesses to parameters by name are checked by the verifier.
  bool isNamed = base.kind == ptx::Operand::Kind::Variable &&
                 base.variable->space == ptx::Space::Param;
  if (translation.hooks.bounds && !isNamed)
    check(in, address, space, bytes);
  if (translation.hooks.accesses && !isNamed)
    tellAccess(in, maskBits(), address.pointers ? b.getInt64(0) : address.base,
               offsetsOf(address));
  LaneAddress host = address;
  makePointers(host, space);
  const Site &site = plan.sites[siteOf(in)];
  if (host.partial && !site.isStore && !site.isAtomic) {
    divert(in, address, host);
    host.partial = nullptr;
  }
  return host;
}

} // namespace tc::emulator
