//===- VectorVariants.cpp - When vectors are whole and aligned ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/VectorVariants.h"

#include "Contract/Alignment.h"

#include "tc/Analysis/Access.h"
#include "tc/IR/IndexBuilder.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Is an element of `operand` two numbers, which one access takes where they
/// are aligned?
static bool isPair(Value operand) {
  return isa<ComplexType>(getElementTypeOrSelf(operand.getType()));
}

bool mlir::tc::wantsVectors(ArrayRef<ContractOp> ops) {
  return llvm::any_of(ops, [](ContractOp op) {
    return !op.getScheduleAttr().getVector().empty() ||
           llvm::any_of(op.getShapedOperands(), isPair);
  });
}

Value mlir::tc::buildAligned(OpBuilder &builder, ArrayRef<ContractOp> ops) {
  SmallVector<Value> buffers;
  for (ContractOp op : ops)
    for (Value operand : op.getShapedOperands())
      buffers.push_back(findViewedBuffer(operand));
  return buildAligned(builder, ContractOp(ops.front()).getLoc(), buffers);
}

/// The operands of `op` that are known to lie densely along a vector of its
/// schedule, by number, with the elements of that; and those of pairs.
static SmallVector<std::pair<unsigned, int64_t>>
getWideOperands(ContractOp op) {
  SmallVector<std::pair<unsigned, int64_t>> wide;
  StrideTable table = *getStrideTable(op);
  for (auto [o, operand] : llvm::enumerate(table.columns())) {
    auto *dense = llvm::find(operand.strides, 1);
    int64_t width = 1;
    if (dense != operand.strides.end())
      width = op.getScheduleAttr().getVector(
          table.names[dense - operand.strides.begin()]);
    if (width > 1 || isPair(op.getShapedOperands()[o]))
      wide.push_back({o, width});
  }
  return wide;
}

Value mlir::tc::buildVectorCondition(OpBuilder &builder, ContractOp op) {
  SmallVector<std::pair<unsigned, int64_t>> wide = getWideOperands(op);
  if (wide.empty())
    return {};
  IndexBuilder math(op.getLoc(), builder);
  Value condition = math.always();
  auto require = [&](OpFoldResult value, int64_t factor) {
    condition = math.both(condition, math.isMultiple(value, factor));
  };
  for (auto [o, width] : wide) {
    Value operand = op.getShapedOperands()[o];
    for (OpFoldResult stride : getMixedStrides(operand))
      if (getConstantIntValue(stride) != 1)
        require(stride, width);
    if (auto view = operand.getDefiningOp<ViewOp>())
      require(view.getMixedOffset(), width);
  }
  for (auto [i, extent] : llvm::enumerate(op.getMixedExtents()))
    require(extent, op.getScheduleAttr().getVector(op.getIterator(i)));
  if (Value aligned = buildAligned(builder, op))
    condition = math.both(condition, aligned);
  return condition;
}

SmallVector<Value> mlir::tc::getVectorOperands(OpBuilder &builder,
                                               ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  SmallVector<Value> operands = op.getShapedOperands();
  for (auto [o, width] : getWideOperands(op)) {
    auto view = operands[o].getDefiningOp<ViewOp>();
    if (!view)
      continue;
    SmallVector<OpFoldResult> strides = view.getMixedStrides();
    for (OpFoldResult &stride : strides)
      if (getConstantIntValue(stride) != 1)
        stride = math.asMultiple(stride, width);
    operands[o] = ViewOp::create(math, view.getSource(),
                                 math.asMultiple(view.getMixedOffset(), width),
                                 view.getMixedSizes(), strides);
  }
  return operands;
}

ContractOp mlir::tc::buildVectorCopy(OpBuilder &builder, ContractOp op) {
  IndexBuilder math(op.getLoc(), builder);
  SmallVector<OpFoldResult> extents = op.getMixedExtents();
  for (auto [i, extent] : llvm::enumerate(extents))
    if (int64_t vector = op.getScheduleAttr().getVector(op.getIterator(i));
        vector > 1)
      extent = math.asMultiple(extent, vector);
  return op.cloneWith(builder, extents, getVectorOperands(builder, op),
                      op.getMaps());
}
