//===- LaneMemory.cpp - Loads and stores of a warp ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the offsets between lanes are known, a few wide loads and shuffles give
// all lanes their numbers; else each lane is gathered.
//
//===----------------------------------------------------------------------===//

#include "Translate/Control.h"

#include "llvm/Analysis/VectorUtils.h"

using namespace llvm;

namespace tc::emulator {

//===----------------------------------------------------------------------===//
// Arrays of lanes in memory
//===----------------------------------------------------------------------===//

Value *Emitter::createArray(Type *type, unsigned count) {
  IRBuilder<> at(entry, entry->begin());
  AllocaInst *array = at.CreateAlloca(ArrayType::get(type, count));
  array->setAlignment(lanesAlign);
  return array;
}

Value *Emitter::spill(Value *value) {
  if (!value->getType()->isVectorTy())
    return value;
  Value *array = createArray(value->getType()->getScalarType(), warpSize);
  b.CreateAlignedStore(value, array, lanesAlign);
  return array;
}

Value *Emitter::loadLane(Value *array, Type *type, Value *lane) {
  if (array->getType() != b.getPtrTy() || !llvm::isa<AllocaInst>(array))
    return array;
  return b.CreateLoad(type, b.CreateGEP(type, array, lane));
}

void Emitter::forEachLane(function_ref<void(Value *lane)> body) {
  BasicBlock *before = b.GetInsertBlock(), *loop = newBlock("lanes"),
             *after = newBlock();
  Value *all = maskBits();
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  PHINode *left = b.CreatePHI(b.getInt32Ty(), 2);
  left->addIncoming(all, before);
  Value *lane =
      b.CreateIntrinsic(Intrinsic::cttz, {b.getInt32Ty()}, {left, b.getTrue()});
  body(lane);
  Value *rest = b.CreateAnd(left, b.CreateSub(left, b.getInt32(1)));
  left->addIncoming(rest, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpNE(rest, b.getInt32(0)), loop, after);
  b.SetInsertPoint(after);
}

Value *Emitter::callRuntime(StringRef name, Type *result,
                            ArrayRef<Value *> arguments) {
  if (width == 1)
    return callOnce(name, result, arguments);
  Type *scalar = result->getScalarType();
  SmallVector<Value *> arrays;
  SmallVector<Type *> types;
  for (Value *argument : arguments) {
    arrays.push_back(spill(argument));
    types.push_back(argument->getType()->getScalarType());
  }
  Value *results = createArray(scalar, warpSize);
  forEachLane([&](Value *lane) {
    SmallVector<Value *> values;
    for (auto [array, type] : zip(arrays, types))
      values.push_back(loadLane(array, type, lane));
    b.CreateStore(callOnce(name, scalar, values),
                  b.CreateGEP(scalar, results, lane));
  });
  return b.CreateAlignedLoad(laneType(scalar), results, lanesAlign);
}

CallInst *Emitter::callOnce(StringRef name, Type *result,
                            ArrayRef<Value *> arguments) {
  SmallVector<Type *> types;
  for (Value *argument : arguments)
    types.push_back(argument->getType());
  FunctionCallee callee = fn->getParent()->getOrInsertFunction(
      name, FunctionType::get(result, types, false));
  CallInst *call = b.CreateCall(callee, arguments);
  // A C bool fills a byte whose upper bits are zero.
  if (result->isIntegerTy(1))
    call->addRetAttr(Attribute::ZExt);
  return call;
}

//===----------------------------------------------------------------------===//
// Runs of lanes
//===----------------------------------------------------------------------===//

namespace {

/// Lanes whose memory lies one after the other, or is the same.
struct Run {
  unsigned first, count;
  bool isSame;
};

constexpr unsigned maxRuns = 4;

SmallVector<Run> findRuns(const Offsets &offsets, unsigned bytes) {
  SmallVector<Run> runs;
  for (unsigned lane = 0; lane < warpSize;) {
    unsigned end = lane + 1;
    int64_t step = end < warpSize ? offsets[end] - offsets[lane] : 0;
    if (step == 0 || step == int64_t(bytes))
      while (end < warpSize && offsets[end] - offsets[end - 1] == step)
        ++end;
    runs.push_back({lane, end - lane, end - lane > 1 && step == 0});
    lane = end;
  }
  return runs;
}

Value *at(Emitter &e, Value *base, int64_t offset) {
  return offset ? e.b.CreateConstGEP1_64(e.b.getInt8Ty(), base, offset) : base;
}

/// The lanes of a run, each repeated for its elements.
Value *maskOf(Emitter &e, const Run &run, unsigned elements) {
  if (!e.mask)
    return nullptr;
  SmallVector<int> indices;
  for (unsigned i = 0; i < run.count * elements; ++i)
    indices.push_back(run.first + i / elements);
  return e.b.CreateShuffleVector(e.mask, indices);
}

/// All elements of a run's lanes, in the order of memory.
Value *loadRun(Emitter &e, Value *pointer, const Run &run, Type *element,
               unsigned count, Align align) {
  unsigned lanes = run.isSame ? 1 : run.count;
  auto *type = FixedVectorType::get(element, lanes * count);
  Value *mask = maskOf(e, run, count);
  if (mask && run.isSame)
    mask = e.b.CreateVectorSplat(count, e.b.CreateOrReduce(mask));
  if (!mask)
    return e.b.CreateAlignedLoad(type, pointer, align);
  return e.b.CreateMaskedLoad(type, pointer, align, mask,
                              Constant::getNullValue(type));
}

} // namespace

/// Other lanes and warps may change the memory between two strong accesses.
static void keepOrder(Emitter &e, bool isStrong) {
  if (isStrong)
    e.b.CreateFence(AtomicOrdering::SequentiallyConsistent,
                    SyncScope::SingleThread);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

Value *Emitter::pointersOf(const LaneAddress &address) {
  if (address.pointers || width == 1)
    return address.pointers ? address.pointers : address.base;
  return b.CreateGEP(b.getInt8Ty(), address.base,
                     offsetsToValue(address.offsets, 64));
}

SmallVector<Value *> Emitter::load(const LaneAddress &address, unsigned bits,
                                   unsigned count, bool isAligned,
                                   bool isStrong) {
  unsigned bytes = bits / 8;
  Type *element = b.getIntNTy(bits);
  Align align(isAligned ? bytes : 1);
  SmallVector<Value *> values;
  if (width == 1) {
    for (unsigned i = 0; i < count; ++i)
      values.push_back(b.CreateAlignedLoad(
          element, at(*this, address.base, i * bytes), align, isStrong));
    return values;
  }
  keepOrder(*this, isStrong);
  SmallVector<Run> runs = address.pointers
                              ? SmallVector<Run>()
                              : findRuns(address.offsets, bytes * count);
  if (!runs.empty() && runs.size() <= maxRuns) {
    SmallVector<Value *> loaded;
    for (const Run &run : runs)
      loaded.push_back(
          loadRun(*this, at(*this, address.base, address.offsets[run.first]),
                  run, element, count, align));
    for (unsigned i = 0; i < count; ++i) {
      SmallVector<Value *> parts;
      for (auto [run, value] : zip(runs, loaded)) {
        SmallVector<int> indices;
        for (unsigned lane = 0; lane < run.count; ++lane)
          indices.push_back((run.isSame ? 0 : lane) * count + i);
        parts.push_back(b.CreateShuffleVector(value, indices));
      }
      values.push_back(joinLanes(parts));
    }
    return values;
  }
  Value *pointers = pointersOf(address);
  bool isNative = bits == 32 || bits == 64;
  Value *array = isNative ? nullptr : spill(pointers);
  Value *all = Constant::getAllOnesValue(laneType(b.getInt1Ty()));
  for (unsigned i = 0; i < count; ++i) {
    if (isNative) {
      Value *each =
          b.CreateGEP(b.getInt8Ty(), pointers, b.getInt64(int64_t(i) * bytes));
      values.push_back(b.CreateMaskedGather(
          laneType(element), each, align, mask ? mask : all,
          Constant::getNullValue(laneType(element))));
      continue;
    }
    Value *results = createArray(element, warpSize);
    forEachLane([&](Value *lane) {
      Value *pointer =
          at(*this, loadLane(array, b.getPtrTy(), lane), i * bytes);
      b.CreateStore(b.CreateAlignedLoad(element, pointer, align),
                    b.CreateGEP(element, results, lane));
    });
    values.push_back(
        b.CreateAlignedLoad(laneType(element), results, lanesAlign));
  }
  keepOrder(*this, isStrong);
  return values;
}

/// One vector of the lanes of several.
Value *Emitter::joinLanes(ArrayRef<Value *> parts) {
  Value *all = PoisonValue::get(
      FixedVectorType::get(parts[0]->getType()->getScalarType(), warpSize));
  if (parts.size() == 1)
    return parts[0];
  unsigned first = 0;
  for (Value *part : parts) {
    unsigned count = cast<FixedVectorType>(part->getType())->getNumElements();
    SmallVector<int> widen(warpSize, -1), blend;
    for (unsigned i = 0; i < count; ++i)
      widen[first + i] = i;
    for (unsigned i = 0; i < warpSize; ++i)
      blend.push_back(i >= first && i < first + count ? warpSize + i : i);
    all = b.CreateShuffleVector(all, b.CreateShuffleVector(part, widen), blend);
    first += count;
  }
  return all;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

void Emitter::store(const LaneAddress &address, ArrayRef<Value *> values,
                    bool isAligned, bool isStrong) {
  unsigned bits = values[0]->getType()->getScalarSizeInBits();
  unsigned bytes = bits / 8, count = values.size();
  Align align(isAligned ? bytes : 1);
  if (width == 1) {
    for (unsigned i = 0; i < count; ++i)
      b.CreateAlignedStore(values[i], at(*this, address.base, i * bytes), align,
                           isStrong);
    return;
  }
  keepOrder(*this, isStrong);
  SmallVector<Run> runs = address.pointers
                              ? SmallVector<Run>()
                              : findRuns(address.offsets, bytes * count);
  bool isRuns = !runs.empty() && runs.size() <= maxRuns &&
                !any_of(runs, [&](const Run &run) { return run.isSame; });
  if (isRuns) {
    Value *all = concatenateVectors(b, SmallVector<Value *>(values));
    for (const Run &run : runs) {
      SmallVector<int> indices;
      for (unsigned i = 0; i < run.count * count; ++i)
        indices.push_back(i % count * warpSize + run.first + i / count);
      Value *data = b.CreateShuffleVector(all, indices);
      Value *pointer = at(*this, address.base, address.offsets[run.first]);
      if (Value *lanes = maskOf(*this, run, count))
        b.CreateMaskedStore(data, pointer, align, lanes);
      else
        b.CreateAlignedStore(data, pointer, align);
    }
    return keepOrder(*this, isStrong);
  }
  Value *pointers = pointersOf(address);
  bool isNative = bits == 32 || bits == 64;
  Value *array = isNative ? nullptr : spill(pointers);
  for (unsigned i = 0; i < count; ++i) {
    if (isNative) {
      Value *each =
          b.CreateGEP(b.getInt8Ty(), pointers, b.getInt64(int64_t(i) * bytes));
      b.CreateMaskedScatter(values[i], each, align, mask);
      continue;
    }
    Type *element = values[i]->getType()->getScalarType();
    Value *data = spill(values[i]);
    forEachLane([&](Value *lane) {
      b.CreateAlignedStore(
          loadLane(data, element, lane),
          at(*this, loadLane(array, b.getPtrTy(), lane), i * bytes), align);
    });
  }
  keepOrder(*this, isStrong);
}

} // namespace tc::emulator
