//===- TCToGPUTables.cpp - Small constants of kernels ---------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that names a constant of the module itself brings it along:
// outlining copies the memref.global into the kernel's module, and no call
// allocates and copies. Kernels may be given views of it, which then are in the
// kernel, too.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;
using namespace mlir::tc;

/// Bytes of a table: more would make long PTX.
static constexpr int64_t kMostTableBytes = 16 << 10;

/// At least what host code may find of an address, of memory of the host or of
/// the device.
static constexpr int64_t kTableAlignment = 256;

/// The constant, if it is a small one.
static memref::GlobalOp findTable(memref::GetGlobalOp op) {
  auto global = SymbolTable::lookupNearestSymbolFrom<memref::GlobalOp>(
      op, op.getNameAttr());
  if (!global || !global.getConstant() || global.isExternal() ||
      global.isUninitialized())
    return {};
  MemRefType type = global.getType();
  int64_t most =
      kMostTableBytes / DataLayout().getTypeSize(type.getElementType());
  return type.getNumElements() <= most ? global : memref::GlobalOp();
}

static bool isInKernel(Operation *op) {
  return op->getParentOfType<gpu::LaunchOp>() != nullptr;
}

/// Does the host only read `buffer`, and ask where it lies?
static bool staysOnHost(Value buffer) {
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    if (isInKernel(user) || isa<memref::LoadOp, affine::AffineLoadOp,
                                memref::DimOp, memref::ExtractStridedMetadataOp,
                                memref::ExtractAlignedPointerAsIndexOp>(user))
      return true;
    return isa<ViewLikeOpInterface>(user) && staysOnHost(user->getResult(0));
  });
}

/// `buffer`, a constant or a view of one, in `launch`.
static Value moveIn(Value buffer, gpu::LaunchOp launch) {
  OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  SmallVector<Operation *> chain;
  for (Operation *op = buffer.getDefiningOp(); op;) {
    chain.push_back(op);
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    op = view ? view.getViewSource().getDefiningOp() : nullptr;
  }
  IRMapping mapping;
  for (Operation *op : llvm::reverse(chain))
    builder.clone(*op, mapping);
  return mapping.lookup(buffer);
}

/// Has each kernel that uses `buffer` name the constant itself.
static void sink(Value buffer) {
  llvm::SmallMapVector<gpu::LaunchOp, SmallVector<OpOperand *>, 4> uses;
  for (OpOperand &use : buffer.getUses())
    if (auto launch = use.getOwner()->getParentOfType<gpu::LaunchOp>())
      uses[launch].push_back(&use);
  SmallVector<Operation *> users = llvm::to_vector(buffer.getUsers());
  for (Operation *user : users)
    if (!isInKernel(user) && isa<ViewLikeOpInterface>(user))
      sink(user->getResult(0));
  for (auto &[launch, operands] : uses) {
    Value inside = moveIn(buffer, launch);
    for (OpOperand *operand : operands)
      operand->set(inside);
  }
}

bool mlir::tc::sinkTable(memref::GetGlobalOp op) {
  memref::GlobalOp table = findTable(op);
  if (!table || isInKernel(op) || !staysOnHost(op.getResult()))
    return false;
  if (table.getAlignment().value_or(1) < kTableAlignment)
    table.setAlignment(kTableAlignment);
  sink(op.getResult());
  return true;
}
