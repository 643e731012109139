//===- Access.cpp - Operands of a contraction over its iterators ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Access.h"

#include "tc/Algebra/LmadQueries.h"
#include "tc/Algebra/LmadViews.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

uint64_t ContractAccess::getInputsVarying(unsigned iterator) const {
  uint64_t bits = 0;
  for (auto [i, input] : llvm::enumerate(inputs))
    if (input.variesWith(iterator))
      bits |= uint64_t(1) << (i % 64);
  return bits;
}

bool ContractAccess::isInAllInputs(unsigned iterator) const {
  return llvm::all_of(
      inputs, [&](const Access &input) { return input.variesWith(iterator); });
}

/// Are positions, in bytes too, and loop counters over them within 64 bits?
static bool isAddressable(const Lmad &access) {
  if (isEmpty(access))
    return true;
  std::optional<Footprint> reached = footprint(access);
  auto low = reached ? staticValue(reached->min) : std::nullopt;
  auto high = reached ? staticValue(reached->max) : std::nullopt;
  int64_t span;
  return low && high && !llvm::SubOverflow(*high, *low, span) &&
         span < int64_t(1) << 60;
}

/// Strides of `operand` over the iterators. A memref layout's own offset does
/// not count: views are relative to the first element.
static FailureOr<Access> getAccess(ContractOp op, Value operand,
                                   AffineMap map) {
  auto type = dyn_cast<MemRefType>(operand.getType());
  if (!type)
    return op.emitOpError("expected memrefs, got ")
           << operand.getType() << "; bufferize first";
  SmallVector<int64_t> strides;
  int64_t offset;
  LogicalResult strided = type.getStridesAndOffset(strides, offset);
  // MLIR gives no strides for arrays without elements; any will do.
  if (llvm::is_contained(type.getShape(), 0))
    llvm::replace(strides, ShapedType::kDynamic, int64_t(0));
  if (failed(strided) || !type.hasStaticShape() ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return op.emitOpError("expected operands of static shape and strides, got ")
           << type;
  MLIRContext *context = op.getContext();
  SmallVector<AffineExpr> sizes;
  for (int64_t extent : op.getStaticExtents())
    sizes.push_back(getAffineConstantExpr(extent, context));
  Lmad layout = Lmad::get(context, 0, type.getShape(), strides);
  std::optional<Lmad> access = compose(layout, map, sizes);
  auto staticStrides = access ? access->staticStrides() : std::nullopt;
  auto staticOffset = access ? access->staticOffset() : std::nullopt;
  if (!staticStrides || !staticOffset || !isAddressable(*access))
    return op.emitOpError("expected subscripts to span less than 2^60 "
                          "elements, got ")
           << type;
  return Access{*staticOffset, std::move(*staticStrides)};
}

FailureOr<ContractAccess> mlir::tc::getContractAccess(ContractOp op) {
  if (!op.hasStaticExtents())
    return op.emitOpError("expected static extents");
  ContractAccess result;
  result.extents.assign(op.getStaticExtents().begin(),
                        op.getStaticExtents().end());
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    result.contracted.push_back(op.isContracted(i));
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    FailureOr<Access> access = getAccess(op, input, op.getInputMap(i));
    if (failed(access))
      return failure();
    result.inputs.push_back(std::move(*access));
  }
  FailureOr<Access> output = getAccess(op, op.getOutput(), op.getOutputMap());
  if (failed(output))
    return failure();
  result.output = std::move(*output);
  return result;
}
