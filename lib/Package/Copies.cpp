//===- Copies.cpp - Copies of host code as calls of the runtime -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Copies.h"

#include "tc/Package/HostEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"

using namespace mlir;

namespace mlir::tc {

std::optional<int64_t> findElementBytes(Type type) {
  if (!isa<ComplexType>(type) && !type.isIntOrIndexOrFloat())
    return std::nullopt;
  return DataLayout().getTypeSize(type);
}

Value getAddress(OpBuilder &builder, Location loc, Value buffer,
                 int64_t elementBytes) {
  auto metadata =
      memref::ExtractStridedMetadataOp::create(builder, loc, buffer);
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, buffer);
  Value size = arith::ConstantIndexOp::create(builder, loc, elementBytes);
  Value offset =
      arith::MulIOp::create(builder, loc, metadata.getOffset(), size);
  return arith::AddIOp::create(builder, loc, base, offset);
}

/// The words of tcPackageCopy's `shape`, in the frame of `function`.
static Value storeShape(OpBuilder &builder, memref::CopyOp op,
                        func::FuncOp function) {
  Location loc = op.getLoc();
  auto source =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getSource());
  auto target =
      memref::ExtractStridedMetadataOp::create(builder, loc, op.getTarget());
  SmallVector<Value> words(source.getSizes());
  llvm::append_range(words, target.getStrides());
  llvm::append_range(words, source.getStrides());
  auto atEntry = OpBuilder::atBlockBegin(&function.front());
  auto type = MemRefType::get(static_cast<int64_t>(words.size()),
                              builder.getIndexType());
  Value shape = memref::AllocaOp::create(atEntry, loc, type);
  for (auto [number, word] : llvm::enumerate(words)) {
    Value at = arith::ConstantIndexOp::create(builder, loc, number);
    memref::StoreOp::create(builder, loc, word, shape, at);
  }
  return memref::ExtractAlignedPointerAsIndexOp::create(builder, loc, shape);
}

static LogicalResult lowerCopy(memref::CopyOp op, func::FuncOp function,
                               Value call) {
  auto type = dyn_cast<MemRefType>(op.getSource().getType());
  std::optional<int64_t> element;
  if (type && isa<MemRefType>(op.getTarget().getType()))
    element = findElementBytes(type.getElementType());
  if (!element)
    return op.emitError("expected a copy of numbers, between buffers of a rank "
                        "that is known");
  OpBuilder builder(op);
  Location loc = op.getLoc();
  auto toWord = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  Value words[] = {call,
                   getAddress(builder, loc, op.getTarget(), *element),
                   getAddress(builder, loc, op.getSource(), *element),
                   toWord(*element),
                   toWord(type.getRank()),
                   storeShape(builder, op, function)};
  FailureOr<func::FuncOp> runtime =
      func::lookupOrCreateFnDecl(builder, function->getParentOfType<ModuleOp>(),
                                 "tcPackageCopy", TypeRange(ValueRange(words)));
  if (failed(runtime))
    return failure();
  func::CallOp::create(builder, loc, *runtime, words);
  op.erase();
  return success();
}

LogicalResult lowerCopies(func::FuncOp function, Value call) {
  SmallVector<memref::CopyOp> copies;
  function.walk([&](memref::CopyOp op) { copies.push_back(op); });
  return failure(llvm::any_of(copies, [&](memref::CopyOp op) {
    return failed(lowerCopy(op, function, call));
  }));
}

} // namespace mlir::tc
