//===- RaiseViews.cpp - What a nest reaches, as subviews ------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg knows extents by shapes alone. So each operand is cut to what the nest
// reaches: where it begins, and its steps.
//
//===----------------------------------------------------------------------===//

#include "Graph/Raise.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::tc;

/// None where a subscript is not linear in the indices, or falls with one of
/// several.
std::optional<RaiseSubscript> RaiseViews::split(AffineExpr subscript) {
  auto form = linearForm(subscript, values.getNumDims());
  if (!form)
    return std::nullopt;
  RaiseSubscript result;
  result.offset = subscript;
  for (auto [d, factor] : llvm::enumerate(form->factors)) {
    Value value = values.getValue(d);
    if (factor == 0 || (value && !isInside(root, value)))
      continue;
    std::optional<NestRange> range = value ? findRange(value) : std::nullopt;
    if (!range)
      return std::nullopt;
    int64_t step = *range->step;
    AffineExpr first = values.trace(range->lower);
    if (reversed.contains(range->index)) {
      AffineExpr distance = values.trace(range->upper) - first;
      first = first + (distance.ceilDiv(step) - 1) * step;
      step = -step;
    }
    result.factors.push_back({*range, factor * step});
    result.offset =
        result.offset.replace(getAffineDimExpr(d, values.getContext()), first);
  }
  bool falls = llvm::any_of(result.factors,
                            [](auto &factor) { return factor.second < 0; });
  return falls && result.factors.size() > 1 ? std::nullopt
                                            : std::optional(result);
}

std::string RaiseViews::refuse(const RaiseElement &element) {
  if (isInside(root, element.memref))
    return "a view is made in the nest";
  if (!cast<MemRefType>(element.memref.getType()).isStrided())
    return "a memref has no strides";
  for (AffineExpr subscript : element.subscripts)
    if (!split(subscript))
      return "a subscript is not linear in the indices, or falls with one of "
             "several in whatever direction the loops go";
  return "";
}

/// The value of `expr`, in which no index of the nest is.
OpFoldResult RaiseViews::build(OpBuilder &builder, AffineExpr expr) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return builder.getIndexAttr(constant.getValue());
  // As an expression of nothing but what is in it.
  SmallVector<Value> operands;
  for (unsigned d = 0, e = values.getNumDims(); d != e; ++d) {
    if (!expr.isFunctionOfDim(d))
      continue;
    expr = expr.replace(getAffineDimExpr(d, values.getContext()),
                        builder.getAffineSymbolExpr(operands.size()));
    operands.push_back(getValueOrCreateCastToIndexLike(
        builder, root->getLoc(), builder.getIndexType(), values.getValue(d)));
  }
  return getAsOpFoldResult(
      affine::expandAffineExpr(builder, root->getLoc(), expr, {}, operands));
}

/// Is `extent` a size, which is never negative?
static bool isSize(OpFoldResult extent) {
  auto value = dyn_cast<Value>(extent);
  return value && value.getDefiningOp<memref::DimOp>();
}

/// `extent`, or 0 where it is negative.
static OpFoldResult clamp(OpBuilder &builder, Location loc,
                          OpFoldResult extent) {
  if (std::optional<int64_t> constant = getConstantIntValue(extent))
    return builder.getIndexAttr(std::max<int64_t>(*constant, 0));
  if (isSize(extent))
    return extent;
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  return arith::MaxSIOp::create(builder, loc, cast<Value>(extent), zero)
      .getResult();
}

OpFoldResult RaiseViews::getExtent(OpBuilder &builder, const NestRange &range) {
  OpFoldResult &extent = extents[range.index];
  if (!extent) {
    AffineExpr distance = values.trace(range.upper) - values.trace(range.lower);
    extent = clamp(builder, root->getLoc(),
                   build(builder, distance.ceilDiv(*range.step)));
  }
  return extent;
}

/// Elements from the first to the last that is reached.
OpFoldResult RaiseViews::getSize(OpBuilder &builder,
                                 const RaiseSubscript &subscript) {
  if (subscript.factors.size() == 1)
    return getExtent(builder, subscript.factors.front().first);
  Location loc = root->getLoc();
  SmallVector<Value> extents;
  AffineExpr size = builder.getAffineConstantExpr(1);
  for (auto [d, factor] : llvm::enumerate(subscript.factors)) {
    auto [range, coefficient] = factor;
    OpFoldResult extent = getExtent(builder, range);
    std::optional<int64_t> constant = getConstantIntValue(extent);
    size = size + ((constant ? builder.getAffineConstantExpr(*constant)
                             : builder.getAffineDimExpr(d)) -
                   1) *
                      coefficient;
    extents.push_back(
        constant ? Value()
                 : getValueOrCreateConstantIndexOp(builder, loc, extent));
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(size))
    return builder.getIndexAttr(std::max<int64_t>(constant.getValue(), 0));
  return clamp(builder, loc,
               getAsOpFoldResult(
                   affine::expandAffineExpr(builder, loc, size, extents, {})));
}

/// Is `size` that of dimension `d` of `memref`?
static bool isWhole(Value memref, unsigned d, OpFoldResult size) {
  auto type = cast<MemRefType>(memref.getType());
  if (std::optional<int64_t> constant = getConstantIntValue(size))
    return type.getDimSize(d) == *constant;
  auto dim = cast<Value>(size).getDefiningOp<memref::DimOp>();
  return dim && dim.getSource() == memref && dim.getConstantIndex() == d;
}

Value RaiseViews::build(OpBuilder &builder, const RaiseElement &element) {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  bool isAll = true;
  for (auto [d, expr] : llvm::enumerate(element.subscripts)) {
    RaiseSubscript subscript = *split(expr);
    offsets.push_back(build(builder, subscript.offset));
    bool hasStep = subscript.factors.size() == 1;
    strides.push_back(
        builder.getIndexAttr(hasStep ? subscript.factors.front().second : 1));
    sizes.push_back(subscript.factors.empty() ? builder.getIndexAttr(1)
                                              : getSize(builder, subscript));
    isAll &= isZeroInteger(offsets.back()) && isOneInteger(strides.back()) &&
             isWhole(element.memref, d, sizes.back());
  }
  if (isAll)
    return element.memref;
  return memref::SubViewOp::create(builder, root->getLoc(), element.memref,
                                   offsets, sizes, strides);
}

AffineMap RaiseViews::getMap(const RaiseElement &element,
                             ArrayRef<NestRange> ranges) {
  MLIRContext *context = values.getContext();
  SmallVector<AffineExpr> results;
  for (AffineExpr expr : element.subscripts) {
    RaiseSubscript subscript = *split(expr);
    bool hasStep = subscript.factors.size() == 1;
    AffineExpr sum = getAffineConstantExpr(0, context);
    for (auto [range, coefficient] : subscript.factors) {
      const NestRange *place =
          llvm::find_if(ranges, [index = range.index](const NestRange &other) {
            return other.index == index;
          });
      sum = sum + getAffineDimExpr(place - ranges.begin(), context) *
                      (hasStep ? 1 : coefficient);
    }
    results.push_back(sum);
  }
  return AffineMap::get(ranges.size(), 0, results, context);
}
