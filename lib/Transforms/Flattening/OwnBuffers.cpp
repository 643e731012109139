//===- OwnBuffers.cpp - Buffers of an iteration ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Flattening/OwnBuffers.h"

#include "tc/IR/IndexBuilder.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Registers of a thread that such a buffer takes at most.
static constexpr int64_t kMostWords = 64;

MemRefType OwnBuffer::getType() const {
  return cast<MemRefType>(made->getResult(0).getType());
}

int64_t OwnBuffer::countStatic() const {
  int64_t count = 1;
  for (auto [d, size] : llvm::enumerate(getType().getShape()))
    if (!numbering[d] && !ShapedType::isDynamic(size))
      count = llvm::checkedMul(count, size)
                  .value_or(std::numeric_limits<int64_t>::max());
  return count;
}

SmallVector<Value> OwnBuffer::getDynamicSizes() const {
  SmallVector<Value> sizes;
  auto alloc = dyn_cast<memref::AllocOp>(made);
  for (auto [d, size] : llvm::enumerate(getType().getShape()))
    if (!numbering[d] && ShapedType::isDynamic(size))
      sizes.push_back(alloc.getDynamicSizes()[getType().getDynamicDimIndex(d)]);
  return sizes;
}

//===----------------------------------------------------------------------===//
// Which buffers
//===----------------------------------------------------------------------===//

/// The subscripts of a load or store; none of other ops.
static std::optional<MutableOperandRange> findSubscripts(Operation *op) {
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndicesMutable();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getIndicesMutable();
  return std::nullopt;
}

/// The dimensions whose subscript is one index of the nest in all of `users`,
/// if these are all indices: without one of them iterations would have elements
/// in common.
static llvm::SmallBitVector
findNumbering(int64_t rank, ArrayRef<Operation *> users, ValueRange indices) {
  SmallVector<Value> common(rank);
  for (auto [i, user] : llvm::enumerate(users)) {
    MutableOperandRange subscripts = *findSubscripts(user);
    for (auto [value, subscript] : llvm::zip_equal(common, subscripts))
      value = i == 0 || value == subscript.get() ? subscript.get() : Value();
  }
  llvm::SmallBitVector own(rank);
  for (auto [d, value] : llvm::enumerate(common))
    own[d] = value && llvm::is_contained(indices, value);
  bool isWhole = llvm::all_of(indices, [&](Value index) {
    return llvm::any_of(own.set_bits(),
                        [&](unsigned d) { return common[d] == index; });
  });
  if (!isWhole)
    own.reset();
  return own;
}

/// Is it a buffer that may be of any memory? `nest` is in its block, and so
/// runs once while it lives.
static bool isMovable(Operation &op) {
  if (!isa<NewOp, memref::AllocOp>(op))
    return false;
  auto type = cast<MemRefType>(op.getResult(0).getType());
  if (auto buffer = dyn_cast<NewOp>(op);
      buffer && (buffer.getThreads() != 0 || buffer.getSlot()))
    return false;
  return !type.getMemorySpace() && type.getLayout().isIdentity() &&
         isNumber(type.getElementType());
}

/// The loads and stores of `buffer`, if `body` has all of them and there are no
/// other uses that matter.
static SmallVector<Operation *> findUsersIn(Block &body, Operation &buffer) {
  SmallVector<Operation *> users;
  for (Operation *user : buffer.getUsers()) {
    if (isa<memref::DeallocOp, memref::DimOp>(user))
      continue;
    auto store = dyn_cast<memref::StoreOp>(user);
    if (!findSubscripts(user) || !body.findAncestorOpInBlock(*user) ||
        (store && store.getValueToStore() == buffer.getResult(0)))
      return {};
    users.push_back(user);
  }
  return users;
}

static Block &getBody(Operation *nest) { return nest->getRegion(0).front(); }

SmallVector<OwnBuffer> mlir::tc::findOwnBuffers(Operation *nest) {
  Block &body = getBody(nest);
  size_t rank =
      TypeSwitch<Operation *, size_t>(nest).Case<ParOp, ReduceOp, ScanOp>(
          [](auto op) { return op.getRank(); });
  SmallVector<OwnBuffer> found;
  for (Operation &op : *nest->getBlock()) {
    if (!isMovable(op))
      continue;
    SmallVector<Operation *> users = findUsersIn(body, op);
    auto type = cast<MemRefType>(op.getResult(0).getType());
    llvm::SmallBitVector numbering = findNumbering(
        type.getRank(), users, body.getArguments().take_front(rank));
    if (!users.empty() && numbering.any())
      found.push_back({&op, std::move(numbering)});
  }
  return found;
}

//===----------------------------------------------------------------------===//
// How they move
//===----------------------------------------------------------------------===//

/// The shape of what an iteration has of `buffer`: dimensions of dynamic size
/// are one, the place of the last of them.
static SmallVector<int64_t> getOwnShape(const OwnBuffer &buffer,
                                        int64_t capacity) {
  SmallVector<int64_t> shape;
  int64_t left = buffer.getDynamicSizes().size();
  for (auto [d, size] : llvm::enumerate(buffer.getType().getShape())) {
    if (buffer.numbering[d])
      continue;
    if (!ShapedType::isDynamic(size))
      shape.push_back(size);
    else if (--left == 0)
      shape.push_back(capacity);
  }
  return shape;
}

/// The subscripts of one element in a buffer of that shape.
static SmallVector<Value> getOwnSubscripts(const OwnBuffer &buffer,
                                           Operation *user) {
  IndexBuilder math(user->getLoc(), OpBuilder(user));
  SmallVector<Value> sizes = buffer.getDynamicSizes(), own;
  Value position;
  size_t taken = 0;
  for (auto [d, size, subscript] :
       llvm::enumerate(buffer.getType().getShape(), *findSubscripts(user))) {
    if (buffer.numbering[d])
      continue;
    Value index = subscript.get();
    if (!ShapedType::isDynamic(size)) {
      own.push_back(index);
      continue;
    }
    position = position ? math.add(math.multiply(position, sizes[taken]), index)
                        : index;
    if (++taken == sizes.size())
      own.push_back(position);
  }
  return own;
}

void mlir::tc::moveInto(Operation *nest, const OwnBuffer &buffer,
                        int64_t capacity) {
  Block &body = getBody(nest);
  Value whole = buffer.made->getResult(0);
  auto made = dyn_cast<NewOp>(buffer.made);
  OpBuilder builder = OpBuilder::atBlockBegin(&body);
  auto inner =
      NewOp::create(builder, whole.getLoc(),
                    MemRefType::get(getOwnShape(buffer, capacity),
                                    buffer.getType().getElementType()),
                    made ? made.getInitAttr() : TypedAttr(), 0, IntegerAttr());
  for (Operation *user : llvm::make_early_inc_range(whole.getUsers())) {
    std::optional<MutableOperandRange> subscripts = findSubscripts(user);
    if (!subscripts || !body.findAncestorOpInBlock(*user))
      continue;
    subscripts->assign(getOwnSubscripts(buffer, user));
    user->replaceUsesOfWith(whole, inner);
  }
  if (isOpTriviallyDead(buffer.made))
    buffer.made->erase();
}

/// May what an iteration has of `buffer` lie in registers? More of it stays in
/// global memory, where threads have neighbours together.
static bool fitsRegisters(const OwnBuffer &buffer) {
  int64_t words =
      llvm::divideCeil(getBytes(buffer.getType().getElementType()), 4);
  return buffer.getDynamicSizes().empty() &&
         buffer.countStatic() <= kMostWords / words;
}

void mlir::tc::moveOwnBuffersInto(Operation *nest) {
  for (const OwnBuffer &buffer : findOwnBuffers(nest))
    if (fitsRegisters(buffer))
      moveInto(nest, buffer);
}
