//===- TCToGPUWidth.cpp - When 32 bits hold the indices of a kernel -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host computes a bound of the magnitude of every index in a launch, and of
// every position in its buffers, from the values that the launch uses. The test
// fails unless all bounds are below 2^31, those of parts of a sum or product,
// too; so no bound that counts has overflowed. What an op without signs takes
// must not be negative, since that would be another number in 32 bits.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "tc/IR/IndexBuilder.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>

using namespace mlir;
using namespace mlir::tc;

namespace {
class LaunchBounds {
public:
  LaunchBounds(IndexBuilder host, gpu::LaunchOp launch)
      : host(host), launch(launch) {}

  /// Are all bounds below the limit? Null where one is not known.
  Value build();
  /// The op that has none.
  Operation *getUnbounded() const { return unbounded; }

private:
  /// Of a constant.
  Value constant(int64_t value);
  template <typename Op>
  Value combine(Value a, Value b);
  Value bound(Value index);
  Value bound(OpFoldResult index);
  Value boundArgument(BlockArgument index);
  Value boundResult(Operation *op);
  Value boundExpr(AffineExpr expr, ArrayRef<Value> operands, unsigned dims);
  Value boundMap(AffineMap map, ValueRange operands);
  Value largest(ArrayRef<Value> bounds);
  bool requireNonNegative(Value index);
  bool addLayout(Value memref);
  bool isInside(Value value) {
    return launch.getBody().isAncestor(value.getParentRegion());
  }

  IndexBuilder host;
  gpu::LaunchOp launch;
  DenseMap<Value, Value> bounds; ///< of the indices inside
  llvm::SetVector<Value> all;
  llvm::SetVector<Value> nonNegative; ///< what must not be below 0
  Operation *unbounded = nullptr;
  // What has been emitted.
  std::map<int64_t, Value> constants;
  DenseMap<std::tuple<TypeID, Value, Value>, Value> combined;
};
} // namespace

Value LaunchBounds::constant(int64_t value) {
  int64_t magnitude = std::abs(std::max(value, -INT64_MAX));
  Value &known = constants[magnitude];
  if (!known)
    known = host.constant(magnitude);
  all.insert(known);
  return known;
}

/// A bound made of two; null if one of them is.
template <typename Op>
Value LaunchBounds::combine(Value a, Value b) {
  if (!a || !b)
    return {};
  Value &known = combined[{TypeID::get<Op>(), a, b}];
  if (!known)
    known = host.createOrFold<Op>(a, b);
  all.insert(known);
  return known;
}

Value LaunchBounds::largest(ArrayRef<Value> bounds) {
  Value most = bounds.front();
  for (Value bound : bounds.drop_front())
    most = combine<arith::MaxSIOp>(most, bound);
  return most;
}

Value LaunchBounds::bound(Value index) {
  auto [known, isNew] = bounds.insert({index, Value()});
  if (!isNew)
    return known->second;
  Value result;
  if (!isInside(index)) {
    result = combine<arith::MaxSIOp>(
        index, combine<arith::SubIOp>(constant(0), index));
    nonNegative.insert(result); // the least integer has no magnitude
  } else if (auto argument = dyn_cast<BlockArgument>(index)) {
    result = boundArgument(argument);
  } else {
    result = boundResult(index.getDefiningOp());
  }
  return bounds[index] = result;
}

Value LaunchBounds::bound(OpFoldResult index) {
  if (auto value = dyn_cast<Value>(index))
    return bound(value);
  return constant(*getConstantIntValue(index));
}

/// A number of a block or a thread, their numbers, or the index of a loop.
Value LaunchBounds::boundArgument(BlockArgument index) {
  Operation *parent = index.getOwner()->getParentOp();
  unsigned number = index.getArgNumber();
  if (parent == launch) {
    gpu::KernelDim3 grid = launch.getGridSizeOperandValues(),
                    block = launch.getBlockSizeOperandValues();
    Value sizes[] = {grid.x, grid.y, grid.z, block.x, block.y, block.z};
    return number < 2 * std::size(sizes) ? bound(sizes[number % 6]) : Value();
  }
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || index != loop.getInductionVar())
    return {};
  Value first = bound(loop.getLowerBound()), end = bound(loop.getUpperBound()),
        step = bound(loop.getStep());
  // The index after the last one is computed, too.
  return combine<arith::MaxSIOp>(first, combine<arith::AddIOp>(end, step));
}

/// Is `index`, of more bits, an element that exists, if it is used at all?
static bool isSubscriptOnly(Value index) {
  return llvm::all_of(index.getUses(), [](OpOperand &use) {
    Operation *op = use.getOwner();
    return isa<memref::LoadOp>(op) ||
           (isa<memref::StoreOp>(op) && use.getOperandNumber() > 1);
  });
}

Value LaunchBounds::boundResult(Operation *op) {
  auto operand = [&](unsigned i) { return bound(op->getOperand(i)); };
  auto boundCast = [&](bool isSigned) -> Value {
    unsigned bits = op->getOperand(0).getType().getIntOrFloatBitWidth();
    if (bits < (isSigned ? 32 : 31))
      return constant(int64_t(1) << (isSigned ? bits - 1 : bits));
    return isSubscriptOnly(op->getResult(0)) ? constant(0) : Value();
  };
  return TypeSwitch<Operation *, Value>(op)
      .Case(
          [&](arith::ConstantIndexOp index) { return constant(index.value()); })
      .Case<arith::AddIOp, arith::SubIOp>(
          [&](auto) { return combine<arith::AddIOp>(operand(0), operand(1)); })
      .Case([&](arith::MulIOp) {
        return combine<arith::MulIOp>(operand(0), operand(1));
      })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
            arith::CeilDivUIOp, arith::FloorDivSIOp>(
          [&](auto) { return operand(1) ? operand(0) : Value(); })
      .Case<arith::RemSIOp, arith::RemUIOp>(
          [&](auto) { return combine<arith::MinSIOp>(operand(0), operand(1)); })
      .Case<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(
          [&](auto) { return combine<arith::MaxSIOp>(operand(0), operand(1)); })
      .Case([&](arith::SelectOp) {
        return combine<arith::MaxSIOp>(operand(1), operand(2));
      })
      .Case([&](affine::AffineApplyOp apply) {
        return boundMap(apply.getAffineMap(), apply.getMapOperands());
      })
      .Case<affine::AffineMinOp, affine::AffineMaxOp>([&](auto extreme) {
        return boundMap(extreme.getAffineMap(), extreme.getOperands());
      })
      .Case([&](arith::IndexCastOp) { return boundCast(/*isSigned=*/true); })
      .Case([&](arith::IndexCastUIOp) { return boundCast(/*isSigned=*/false); })
      .Case([&](memref::DimOp dim) -> Value {
        std::optional<int64_t> d = dim.getConstantIndex();
        auto view =
            dim.getSource().getDefiningOp<OffsetSizeAndStrideOpInterface>();
        int64_t rank = cast<ShapedType>(dim.getSource().getType()).getRank();
        if (d && (*d < 0 || *d >= rank))
          return {};
        if (d && view && int64_t(view.getMixedSizes().size()) == rank)
          return bound(view.getMixedSizes()[*d]);
        if (!d || isInside(dim.getSource()))
          return {};
        Value extent = host.createOrFold<memref::DimOp>(dim.getSource(), *d);
        all.insert(extent);
        return extent;
      })
      .Default(Value());
}

/// Is `index` not negative, if values from outside are not?
bool LaunchBounds::requireNonNegative(Value index) {
  APInt constant;
  if (matchPattern(index, m_ConstantInt(&constant)))
    return constant.isNonNegative();
  if (!isInside(index)) {
    nonNegative.insert(index);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(index)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto loop = dyn_cast<scf::ForOp>(parent);
    return parent == launch || (loop && index == loop.getInductionVar() &&
                                requireNonNegative(loop.getLowerBound()));
  }
  Operation *op = index.getDefiningOp();
  if (isa<memref::DimOp>(op))
    return true;
  if (!isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp,
           arith::CeilDivUIOp, arith::CeilDivSIOp, arith::FloorDivSIOp,
           arith::RemUIOp, arith::RemSIOp, arith::MinSIOp, arith::MinUIOp,
           arith::MaxSIOp, arith::MaxUIOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return requireNonNegative(operand);
  });
}

Value LaunchBounds::boundMap(AffineMap map, ValueRange operands) {
  SmallVector<Value> known;
  for (Value operand : operands)
    known.push_back(bound(operand));
  if (llvm::is_contained(known, Value()))
    return {};
  return largest(llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) {
    return boundExpr(expr, known, map.getNumDims());
  }));
}

Value LaunchBounds::boundExpr(AffineExpr expr, ArrayRef<Value> operands,
                              unsigned dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return this->constant(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return operands[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return operands[dims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Value a = boundExpr(binary.getLHS(), operands, dims),
        b = boundExpr(binary.getRHS(), operands, dims);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return combine<arith::AddIOp>(a, b);
  case AffineExprKind::Mul:
    return combine<arith::MulIOp>(a, b);
  case AffineExprKind::Mod:
    return b;
  default: // a quotient
    return a;
  }
}

/// Bounds the positions in a buffer; false where they are not known.
bool LaunchBounds::addLayout(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  if (!type || !type.isStrided() || type.getElementType().isIndex())
    return false;
  if (std::optional<int64_t> span = countSpan(type)) {
    constant(*span);
    return true;
  }
  SmallVector<OpFoldResult> sizes, strides;
  OpFoldResult offset;
  if (!isInside(memref)) {
    auto layout = memref::ExtractStridedMetadataOp::create(host, memref);
    sizes = layout.getConstifiedMixedSizes();
    strides = layout.getConstifiedMixedStrides();
    offset = layout.getConstifiedMixedOffset();
  } else if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    sizes = cast.getMixedSizes();
    strides = cast.getMixedStrides();
    offset = cast.getMixedOffsets().front();
  } else {
    // Other views have elements of what they view.
    return isa_and_nonnull<ViewLikeOpInterface>(memref.getDefiningOp());
  }
  Value span = bound(offset);
  for (auto [size, stride] : llvm::zip_equal(sizes, strides))
    span = combine<arith::AddIOp>(
        span, combine<arith::MulIOp>(bound(size), bound(stride)));
  return span != nullptr;
}

Value LaunchBounds::build() {
  Value zero = constant(0);
  llvm::SetVector<Value> memrefs;
  WalkResult result = launch.getBody().walk([&](Operation *op) -> WalkResult {
    unbounded = op;
    // Descriptors have been built for indices of 64 bits.
    if (isa<UnrealizedConversionCastOp>(op))
      return WalkResult::interrupt();
    bool isUnsigned = isa<arith::DivUIOp, arith::CeilDivUIOp, arith::RemUIOp,
                          arith::IndexCastUIOp>(op) &&
                      op->getOperand(0).getType().isIndex();
    if (isUnsigned && !llvm::all_of(op->getOperands(), [&](Value operand) {
          return requireNonNegative(operand);
        }))
      return WalkResult::interrupt();
    for (Value value : op->getOperands())
      if (isa<BaseMemRefType>(value.getType()))
        memrefs.insert(value);
    for (Value value : op->getResults()) {
      if (getElementTypeOrSelf(value.getType()).isIndex() &&
          (!value.getType().isIndex() || !bound(value)))
        return WalkResult::interrupt();
    }
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (argument.getType().isIndex() && !bound(argument))
            return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return {};
  for (Value memref : memrefs)
    if (!addLayout(memref)) {
      unbounded = memref.getDefiningOp() ? memref.getDefiningOp() : launch;
      return {};
    }
  Value fits = host.isBelow(largest(SmallVector<Value>(all.begin(), all.end())),
                            kLimit32);
  Value least = zero;
  for (Value value : nonNegative)
    least = combine<arith::MinSIOp>(least, value);
  return host.both(fits, host.isAtLeast(least, 0));
}

/// Does `launch` compute with values that are not known before it runs?
static bool usesDynamic(gpu::LaunchOp launch) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(launch.getBody(), outside);
  return llvm::any_of(outside, [](Value value) {
    auto type = dyn_cast<MemRefType>(value.getType());
    return type ? !countSpan(type)
                : value.getType().isIndex() &&
                      !matchPattern(value, m_Constant());
  });
}

static void explain(gpu::LaunchOp launch, Operation *unbounded) {
  remark::missed(
      unbounded->getLoc(),
      remark::RemarkOpts::name("WideIndices")
          .category("convert-tc-to-gpu")
          .function(launch->getParentOfType<func::FuncOp>().getName()))
      << remark::reason("indices have 64 bits, which are slower: no bound is "
                        "known for those of '{0}'",
                        unbounded->getName());
}

Value mlir::tc::buildFitsInWords(OpBuilder &host, gpu::LaunchOp launch) {
  OpBuilder::InsertionGuard guard(host);
  host.setInsertionPoint(launch);
  Operation *before = launch->getPrevNode();
  IndexBuilder math(launch.getLoc(), host);
  // What is static LLVM narrows by itself, where that is faster.
  LaunchBounds bounds(math, launch);
  if (Value fits = bounds.build()) {
    if (!matchPattern(fits, m_Constant()))
      return fits;
  } else if (usesDynamic(launch)) {
    explain(launch, bounds.getUnbounded());
  }
  eraseDead(before, launch);
  return {};
}
