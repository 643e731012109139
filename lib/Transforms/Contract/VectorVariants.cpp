//===- VectorVariants.cpp - When vectors are whole and aligned ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/VectorVariants.h"

#include "Contract/Alignment.h"
#include "Contract/IndexBuilder.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

bool mlir::tc::wantsVectors(ArrayRef<ContractOp> ops) {
  return llvm::any_of(ops, [](ContractOp op) {
    return !op.getScheduleAttr().getVector().empty();
  });
}

/// Is the address of `buffer` always a multiple of kMaxAccessBytes?
static bool isKnownAligned(Value buffer) {
  Operation *op = buffer.getDefiningOp();
  auto holds = [](std::optional<uint64_t> alignment) {
    return alignment && *alignment % kMaxAccessBytes == 0;
  };
  if (auto alloc = dyn_cast_if_present<memref::AllocOp>(op))
    return holds(alloc.getAlignment());
  if (auto assume = dyn_cast_if_present<memref::AssumeAlignmentOp>(op))
    return holds(assume.getAlignment());
  return false;
}

Value mlir::tc::buildAligned(OpBuilder &builder, ArrayRef<ContractOp> ops) {
  llvm::SetVector<Value> buffers;
  for (ContractOp op : ops)
    for (Value operand : op.getShapedOperands())
      if (Value buffer = findViewedBuffer(operand); !isKnownAligned(buffer))
        buffers.insert(buffer);
  if (buffers.empty())
    return {};
  IndexBuilder math(ContractOp(ops.front()).getLoc(), builder);
  // All at once: the low bits of any.
  Value bits;
  for (Value buffer : buffers) {
    Value address =
        memref::ExtractAlignedPointerAsIndexOp::create(math, buffer);
    bits = bits ? arith::OrIOp::create(math, bits, address) : address;
  }
  return math.isMultiple(bits, kMaxAccessBytes);
}

/// The vector along which `operand` lies densely; 1 where it is known of none.
static int64_t getWidth(ContractOp op, Value operand, AffineMap map) {
  for (auto [subscript, stride] :
       llvm::zip_equal(map.getResults(), getMixedStrides(operand)))
    if (auto dim = dyn_cast<AffineDimExpr>(subscript);
        dim && getConstantIntValue(stride) == 1)
      return op.getScheduleAttr().getVector(op.getIterator(dim.getPosition()));
  return 1;
}

static int64_t getVector(ContractOp op, unsigned i) {
  return op.getScheduleAttr().getVector(op.getIterator(i));
}

Value mlir::tc::buildVectorCondition(OpBuilder &builder, ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  Value condition = math.always();
  bool isUsed = false;
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    int64_t width = getWidth(op, operand, map);
    if (width == 1)
      continue;
    isUsed = true;
    for (OpFoldResult stride : getMixedStrides(operand))
      if (getConstantIntValue(stride) != 1)
        condition = math.both(condition, math.isMultiple(stride, width));
    if (auto view = operand.getDefiningOp<ViewOp>())
      condition =
          math.both(condition, math.isMultiple(view.getMixedOffset(), width));
  }
  if (!isUsed)
    return {};
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents()))
    condition = math.both(condition, math.isMultiple(extent, getVector(op, i)));
  if (Value aligned = buildAligned(builder, op))
    condition = math.both(condition, aligned);
  return condition;
}

SmallVector<OpFoldResult> mlir::tc::getVectorExtents(OpBuilder &builder,
                                                     ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  for (auto [i, extent] : llvm::enumerate(extents))
    extent = math.asMultiple(extent, getVector(op, i));
  return extents;
}

SmallVector<Value> mlir::tc::getVectorOperands(OpBuilder &builder,
                                               ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  SmallVector<Value> operands;
  for (auto [operand, map] :
       llvm::zip_equal(op.getShapedOperands(), op.getMaps())) {
    int64_t width = getWidth(op, operand, map);
    auto view = operand.getDefiningOp<ViewOp>();
    operands.push_back(operand);
    if (!view || width == 1)
      continue;
    SmallVector<OpFoldResult> strides = view.getMixedStrides();
    for (OpFoldResult &stride : strides)
      if (getConstantIntValue(stride) != 1)
        stride = math.asMultiple(stride, width);
    operands.back() =
        ViewOp::create(builder, math.getLoc(), view.getSource(),
                       math.asMultiple(view.getMixedOffset(), width),
                       view.getMixedSizes(), strides);
  }
  return operands;
}
