//===- TCToGPUHostSpace.cpp - Buffers in the memory of the host -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::isInHostSpace(Value buffer) {
  return HostAttr::isSpaceOf(buffer.getType());
}

bool mlir::tc::copiesHostSpace(func::FuncOp function) {
  return containsOp(function, [](Operation *op) {
    return isa<memref::CopyOp>(op) &&
           llvm::any_of(op->getOperands(), isInHostSpace);
  });
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Kernels do not reach memory of the host, and no cast makes it the device's.
LogicalResult mlir::tc::verifyHostSpace(func::FuncOp function) {
  WalkResult result = function.walk([](Operation *op) -> WalkResult {
    if (auto cast = dyn_cast<memref::MemorySpaceCastOp>(op);
        cast && isInHostSpace(cast.getSource()) != isInHostSpace(cast))
      return cast.emitOpError("expected buffers that are both in the memory of "
                              "the host or both not, got ")
             << cast.getSource().getType() << " and " << cast.getType();
    if (!op->getParentOfType<gpu::LaunchOp>())
      return WalkResult::advance();
    for (Value operand : op->getOperands())
      if (isInHostSpace(operand) && !isa<memref::DimOp>(op))
        return op->emitOpError("expected buffers in the memory of the device, "
                               "got ")
               << operand.getType()
               << "; a memref.copy outside of the nest brings it there";
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

/// `buffer` without a rank, as gpu ops take it.
static Value castToUnranked(OpBuilder &builder, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  return memref::CastOp::create(
      builder, buffer.getLoc(),
      UnrankedMemRefType::get(type.getElementType(), type.getMemorySpace()),
      buffer);
}

void mlir::tc::pinBuffer(memref::AllocOp alloc) {
  OpBuilder builder(alloc->getContext());
  builder.setInsertionPointAfter(alloc);
  Value buffer = alloc.getMemref();
  gpu::HostRegisterOp::create(builder, alloc.getLoc(),
                              castToUnranked(builder, buffer));
  if (!hasOwnerElsewhere(buffer)) {
    builder.setInsertionPoint(alloc->getBlock()->getTerminator());
    memref::DeallocOp::create(builder, alloc.getLoc(), buffer);
  }
}

void mlir::tc::unpinBuffer(memref::DeallocOp dealloc) {
  OpBuilder builder(dealloc);
  gpu::HostUnregisterOp::create(builder, dealloc.getLoc(),
                                castToUnranked(builder, dealloc.getMemref()));
}
