//===- TCToGPUHost.cpp - The host side of kernels -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Emits one asynchronous gpu op, which `make` builds after a token, and waits.
static void emitAndWait(OpBuilder &builder, Location loc,
                        function_ref<Value(Type, Value)> make) {
  auto type = gpu::AsyncTokenType::get(builder.getContext());
  Value start =
      gpu::WaitOp::create(builder, loc, type, ValueRange()).getAsyncToken();
  gpu::WaitOp::create(builder, loc, Type(), make(type, start));
}

static Value emitAlloc(OpBuilder &builder, Location loc, MemRefType type,
                       ValueRange sizes = {}, ValueRange symbols = {}) {
  Value buffer;
  emitAndWait(builder, loc, [&](Type token, Value start) {
    auto alloc =
        gpu::AllocOp::create(builder, loc, type, token, start, sizes, symbols);
    buffer = alloc.getMemref();
    return alloc.getAsyncToken();
  });
  return buffer;
}

static void emitDealloc(OpBuilder &builder, Location loc, Value buffer) {
  emitAndWait(builder, loc, [&](Type type, Value start) {
    return gpu::DeallocOp::create(builder, loc, type, start, buffer)
        .getAsyncToken();
  });
}

void mlir::tc::emitCopy(OpBuilder &builder, Location loc, Value target,
                        Value source) {
  emitAndWait(builder, loc, [&](Type type, Value start) {
    return gpu::MemcpyOp::create(builder, loc, type, start, target, source)
        .getAsyncToken();
  });
}

bool mlir::tc::hasOwnerElsewhere(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (isa<memref::DeallocOp, func::ReturnOp>(user))
      return true;
    return isa<ViewLikeOpInterface>(user) &&
           hasOwnerElsewhere(user->getResult(0));
  });
}

/// Frees `buffer`, new and in use, where its block ends, if no one else does.
static void freeUnlessOwned(OpBuilder &builder, Value buffer) {
  if (hasOwnerElsewhere(buffer))
    return;
  builder.setInsertionPoint(buffer.getParentBlock()->getTerminator());
  emitDealloc(builder, buffer.getLoc(), buffer);
}

/// A device buffer in place of a host one.
template <typename AllocLike>
static void moveAlloc(AllocLike op) {
  OpBuilder builder(op);
  Value buffer = emitAlloc(builder, op.getLoc(), op.getType(),
                           op.getDynamicSizes(), op.getSymbolOperands());
  op.replaceAllUsesWith(buffer);
  freeUnlessOwned(builder, buffer);
  op.erase();
}

bool mlir::tc::isUsedByKernel(Value buffer) {
  return llvm::any_of(buffer.getUsers(), [](Operation *user) {
    if (user->getParentOfType<gpu::LaunchOp>())
      return true;
    return isa<ViewLikeOpInterface>(user) && isUsedByKernel(user->getResult(0));
  });
}

/// Gives kernels a copy on the device of a constant, which lies in the host's
/// memory.
static void moveConstant(memref::GetGlobalOp op) {
  if (!isUsedByKernel(op.getResult()) || sinkTable(op))
    return;
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  Value buffer = emitAlloc(builder, loc, op.getType());
  op.getResult().replaceUsesWithIf(buffer, [](OpOperand &use) {
    Operation *user = use.getOwner();
    return !isa<memref::LoadOp, affine::AffineLoadOp>(user) ||
           user->getParentOfType<gpu::LaunchOp>(); // the host reads its own
  });
  emitCopy(builder, loc, buffer, op.getResult());
  freeUnlessOwned(builder, buffer);
}

void mlir::tc::moveBuffersToDevice(func::FuncOp function) {
  function.walk([&](Operation *op) {
    if (op->getParentOfType<gpu::LaunchOp>())
      return;
    if (auto alloc = dyn_cast<memref::AllocOp>(op))
      return isInHostSpace(alloc) ? pinBuffer(alloc) : moveAlloc(alloc);
    if (auto alloc = dyn_cast<memref::AllocaOp>(op)) {
      if (isUsedByKernel(alloc.getResult()))
        moveAlloc(alloc);
      return;
    }
    if (auto constant = dyn_cast<memref::GetGlobalOp>(op))
      return moveConstant(constant);
    OpBuilder builder(op);
    if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      if (isInHostSpace(dealloc.getMemref()))
        return unpinBuffer(dealloc);
      emitDealloc(builder, op->getLoc(), dealloc.getMemref());
      op->erase();
    } else if (auto copy = dyn_cast<memref::CopyOp>(op)) {
      emitCopy(builder, op->getLoc(), copy.getTarget(), copy.getSource());
      op->erase();
    }
  });
}
