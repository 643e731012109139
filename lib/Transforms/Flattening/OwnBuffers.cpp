//===- OwnBuffers.cpp - Buffers of an iteration ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/OwnBuffers.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Registers of a thread that such a buffer takes at most.
static constexpr int64_t kMostWords = 64;

/// The subscripts of a load or store; none of other ops.
static std::optional<MutableOperandRange> findSubscripts(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndicesMutable();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getIndicesMutable();
  return std::nullopt;
}

/// The subscripts that are one index of the nest in every use.
static llvm::SmallBitVector findOwnDims(NewOp buffer, ValueRange indices) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> common(type.getRank());
  for (auto [i, user] : llvm::enumerate(buffer->getUsers())) {
    MutableOperandRange subscripts = *findSubscripts(user);
    for (auto [value, subscript] : llvm::zip_equal(common, subscripts))
      value = i == 0 || value == subscript.get() ? subscript.get() : Value();
  }
  llvm::SmallBitVector own(type.getRank());
  for (auto [d, value] : llvm::enumerate(common))
    own[d] = value && llvm::is_contained(indices, value);
  // Without one of the indices iterations would have elements in common.
  bool isWhole = llvm::all_of(indices, [&](Value index) {
    return llvm::any_of(own.set_bits(),
                        [&](unsigned d) { return common[d] == index; });
  });
  if (!isWhole)
    own.reset();
  return own;
}

/// Is `buffer` touched by loads and stores in `body` alone?
static bool isUsedIn(NewOp buffer, Block &body) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    auto store = dyn_cast<memref::StoreOp>(user);
    return findSubscripts(user) && body.findAncestorOpInBlock(*user) &&
           !(store && store.getValueToStore() == buffer.getResult());
  });
}

/// May what an iteration has of a buffer of `type` lie in registers? More of it
/// stays in global memory, where threads have neighbours together.
static bool fitsRegisters(MemRefType type, const llvm::SmallBitVector &own) {
  int64_t words = isNumber(type.getElementType())
                      ? llvm::divideCeil(getBytes(type.getElementType()), 4)
                      : 1;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    if (own[d])
      continue;
    if (ShapedType::isDynamic(size) || size > kMostWords)
      return false;
    words *= size;
  }
  return words <= kMostWords;
}

/// Puts a buffer of the dimensions that are not `own` into `body`, for what
/// `buffer` was.
static void moveInto(Block &body, NewOp buffer,
                     const llvm::SmallBitVector &own) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(type.getShape()))
    if (!own[d])
      shape.push_back(size);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  auto inner = NewOp::create(builder, buffer.getLoc(),
                             MemRefType::get(shape, type.getElementType()),
                             buffer.getInitAttr(), 0, IntegerAttr());
  for (Operation *user : llvm::make_early_inc_range(buffer->getUsers())) {
    MutableOperandRange subscripts = *findSubscripts(user);
    SmallVector<Value> rest;
    for (auto [d, subscript] : llvm::enumerate(subscripts))
      if (!own[d])
        rest.push_back(subscript.get());
    subscripts.assign(rest);
    user->replaceUsesOfWith(buffer, inner);
  }
  buffer.erase();
}

void mlir::tc::moveOwnBuffersInto(Operation *nest) {
  Block &body = nest->getRegion(0).front();
  size_t rank =
      TypeSwitch<Operation *, size_t>(nest).Case<ParOp, ReduceOp, ScanOp>(
          [](auto op) { return op.getRank(); });
  for (NewOp buffer :
       llvm::make_early_inc_range(nest->getBlock()->getOps<NewOp>())) {
    auto type = cast<MemRefType>(buffer.getType());
    if (type.getMemorySpace() || !type.getLayout().isIdentity() ||
        buffer.getThreads() != 0 || buffer.getSlot() || buffer->use_empty() ||
        !isUsedIn(buffer, body))
      continue;
    llvm::SmallBitVector own =
        findOwnDims(buffer, body.getArguments().take_front(rank));
    if (own.any() && fitsRegisters(type, own))
      moveInto(body, buffer, own);
  }
}
