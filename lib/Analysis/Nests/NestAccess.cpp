//===- NestAccess.cpp - What the ops of a nest touch ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/NestAccess.h"

#include "Saturating.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// The bound of a loop of affine, if it is a constant or a value; upstream's
/// interface has constants alone.
static OpFoldResult findBound(affine::AffineBound bound) {
  AffineMap map = bound.getMap();
  if (map.getNumResults() != 1)
    return {};
  if (map.isSingleConstant())
    return IntegerAttr::get(IndexType::get(map.getContext()),
                            map.getSingleConstantResult());
  if (auto dim = dyn_cast<AffineDimExpr>(map.getResult(0)))
    return bound.getOperand(dim.getPosition());
  if (auto symbol = dyn_cast<AffineSymbolExpr>(map.getResult(0)))
    return bound.getOperand(map.getNumDims() + symbol.getPosition());
  return {};
}

SmallVector<NestRange> mlir::tc::getRanges(Operation *op) {
  SmallVector<NestRange> ranges;
  auto addNest = [&](auto nest) {
    SpaceBounds bounds = nest.getBounds();
    for (auto [index, lower, upper, step, width] :
         llvm::zip_equal(nest.getIndices(), bounds.lower, bounds.upper,
                         bounds.step, bounds.width))
      ranges.push_back({index, lower, upper, getConstantIntValue(step),
                        getConstantIntValue(width)});
  };
  auto addLoop = [&](LoopLikeOpInterface loop) {
    auto indices = loop.getLoopInductionVars();
    auto lower = loop.getLoopLowerBounds(), upper = loop.getLoopUpperBounds(),
         step = loop.getLoopSteps();
    if (!indices || !lower || !upper || !step)
      return;
    for (auto [i, low, high, by] :
         llvm::zip_equal(*indices, *lower, *upper, *step))
      ranges.push_back({i, low, high, getConstantIntValue(by)});
  };
  auto addAffine = [&](affine::AffineForOp loop) {
    OpFoldResult lower = findBound(loop.getLowerBound()),
                 upper = findBound(loop.getUpperBound());
    if (lower && upper)
      ranges.push_back(
          {loop.getInductionVar(), lower, upper, loop.getStepAsInt()});
  };
  TypeSwitch<Operation *>(op)
      .Case<ParOp, SeqOp, ReduceOp, ScanOp, PartitionOp>(addNest)
      .Case(addAffine)
      .Case(addLoop);
  return ranges;
}

std::optional<NestRange> mlir::tc::findRange(Value value) {
  auto index = dyn_cast<BlockArgument>(value);
  if (!index)
    return std::nullopt;
  for (const NestRange &range : getRanges(index.getOwner()->getParentOp()))
    if (range.index == index)
      return range;
  return std::nullopt;
}

int64_t mlir::tc::countTrips(int64_t lower, int64_t upper, int64_t step,
                             int64_t width) {
  if (upper <= lower)
    return 0;
  int64_t extent;
  if (llvm::SubOverflow(upper, lower, extent))
    extent = std::numeric_limits<int64_t>::max();
  return add(multiply(extent / step, width), std::min(extent % step, width));
}

std::optional<int64_t> mlir::tc::countIterations(Operation *loop,
                                                 unsigned first) {
  SmallVector<NestRange> ranges = getRanges(loop);
  if (ranges.empty() && !isa<TCDialect>(loop->getDialect()))
    return std::nullopt;
  int64_t count = 1;
  for (const NestRange &range : ArrayRef(ranges).drop_front(first)) {
    std::optional<int64_t> lower = getConstantIntValue(range.lower),
                           upper = getConstantIntValue(range.upper);
    if (!lower || !upper || range.step.value_or(0) <= 0 || !range.width ||
        llvm::MulOverflow(count,
                          countTrips(*lower, *upper, *range.step, *range.width),
                          count))
      return std::nullopt;
  }
  return count;
}

std::optional<int64_t> NestValues::findExtent(OpFoldResult lower,
                                              OpFoldResult upper) {
  return staticValue(simplifyAffineExpr(trace(upper) - trace(lower), numDims,
                                        /*numSymbols=*/0));
}

AffineExpr NestValues::getDim(Value value) {
  AffineExpr &dim = dims[value];
  if (!dim) {
    values[numDims] = value;
    dim = addDim();
  }
  return dim;
}

/// Null where `op` is no quasi-affine function of its operands.
AffineExpr NestValues::traceOp(Operation *op) {
  auto lhs = [&] { return trace(op->getOperand(0)); };
  auto rhs = [&] { return trace(op->getOperand(1)); };
  auto positive = [&]() -> AffineExpr {
    auto value = dyn_cast<AffineConstantExpr>(rhs());
    return value && value.getValue() > 0 ? value : AffineConstantExpr();
  };
  return TypeSwitch<Operation *, AffineExpr>(op)
      .Case([&](arith::AddIOp) { return lhs() + rhs(); })
      .Case([&](arith::SubIOp) { return lhs() - rhs(); })
      .Case([&](arith::MulIOp) -> AffineExpr {
        AffineExpr a = lhs(), b = rhs();
        return isa<AffineConstantExpr>(a) || isa<AffineConstantExpr>(b)
                   ? a * b
                   : AffineExpr();
      })
      // Unsigned division of what counts elements is that of numbers from 0 on.
      .Case<arith::DivUIOp, arith::FloorDivSIOp>([&](auto) -> AffineExpr {
        return positive() ? lhs().floorDiv(positive()) : AffineExpr();
      })
      .Case([&](arith::CeilDivSIOp) -> AffineExpr {
        return positive() ? lhs().ceilDiv(positive()) : AffineExpr();
      })
      .Case([&](arith::RemUIOp) -> AffineExpr {
        return positive() ? lhs() % positive() : AffineExpr();
      })
      .Case([&](affine::AffineApplyOp apply) -> AffineExpr {
        AffineExpr result =
            trace(apply.getAffineMap(), apply.getMapOperands()).front();
        return result.isPureAffine() ? result : AffineExpr();
      })
      .Case<arith::IndexCastOp>([&](auto) { return lhs(); })
      .Default(AffineExpr());
}

AffineExpr NestValues::trace(Value value) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context);
  Operation *op = value.getDefiningOp();
  if (!op)
    return getDim(value);
  AffineExpr expr = traceOp(op);
  return expr ? expr : getDim(value);
}

AffineExpr NestValues::trace(OpFoldResult value) {
  if (auto dynamic = dyn_cast<Value>(value))
    return trace(dynamic);
  return getAffineConstantExpr(*getConstantIntValue(value), context);
}

SmallVector<AffineExpr> NestValues::trace(AffineMap map, ValueRange operands) {
  SmallVector<AffineExpr> traced =
      llvm::map_to_vector(operands, [&](Value v) { return trace(v); });
  ArrayRef<AffineExpr> all = traced;
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr result) {
    return result.replaceDimsAndSymbols(all.take_front(map.getNumDims()),
                                        all.drop_front(map.getNumDims()));
  });
}

SmallVector<AffineExpr> NestValues::traceBounds(OpFoldResult bound,
                                                bool isLower) {
  auto value = dyn_cast<Value>(bound);
  Operation *op = value ? value.getDefiningOp() : nullptr;
  if (auto most = dyn_cast_or_null<affine::AffineMaxOp>(op); most && isLower)
    return trace(most.getAffineMap(), most.getOperands());
  if (auto least = dyn_cast_or_null<affine::AffineMinOp>(op); least && !isLower)
    return trace(least.getAffineMap(), least.getOperands());
  return {trace(bound)};
}

/// How many threads of a block, or blocks of a grid, there are along the axis
/// of the number `value`; none unless the kernel says so.
static std::optional<int64_t> findCount(Value value) {
  Operation *op = value.getDefiningOp();
  auto kernel = op ? op->getParentOfType<gpu::GPUFuncOp>() : gpu::GPUFuncOp();
  if (!kernel)
    return std::nullopt;
  std::optional<ArrayRef<int32_t>> counts;
  unsigned axis = 0;
  if (auto thread = dyn_cast<gpu::ThreadIdOp>(op)) {
    counts = kernel.getKnownBlockSize();
    axis = static_cast<unsigned>(thread.getDimension());
  } else if (auto block = dyn_cast<gpu::BlockIdOp>(op)) {
    counts = kernel.getKnownGridSize();
    axis = static_cast<unsigned>(block.getDimension());
  }
  if (!counts || counts->size() <= axis)
    return std::nullopt;
  return (*counts)[axis];
}

SmallVector<AffineExpr> NestValues::getConditions(unsigned dim) {
  Value value = getValue(dim);
  if (std::optional<int64_t> count = value ? findCount(value) : std::nullopt) {
    AffineExpr number = getAffineDimExpr(dim, context);
    return {number, *count - 1 - number};
  }
  std::optional<NestRange> range = value ? findRange(value) : std::nullopt;
  // A dynamic step is positive, too.
  if (!range || range->step.value_or(1) <= 0)
    return {};
  // lower <= i < upper, (i - lower) mod step < width
  AffineExpr self = getAffineDimExpr(dim, context);
  SmallVector<AffineExpr> conditions;
  for (AffineExpr lower : traceBounds(range->lower, /*isLower=*/true))
    conditions.push_back(self - lower);
  for (AffineExpr upper : traceBounds(range->upper, /*isLower=*/false))
    conditions.push_back(upper - 1 - self);
  if (range->step && range->width && range->step != range->width)
    conditions.push_back(*range->width - 1 -
                         (self - trace(range->lower)) % *range->step);
  return conditions;
}

bool NestValues::hasAllConditions(unsigned dim) {
  Value value = getValue(dim);
  std::optional<NestRange> range = value ? findRange(value) : std::nullopt;
  return range && range->step.value_or(0) > 0 && range->width;
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

static bool isInSpace(Value memref, gpu::AddressSpace space) {
  auto type = cast<BaseMemRefType>(memref.getType());
  auto own = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return own && own.getValue() == space;
}

bool mlir::tc::isInPrivateMemory(Value memref) {
  return isInSpace(memref, gpu::AddressSpace::Private);
}

bool mlir::tc::isInWorkgroupMemory(Value memref) {
  return isInSpace(memref, gpu::AddressSpace::Workgroup);
}

/// Does nothing but `buffer` itself, and views of it, name its memory?
static bool isIdentified(Value buffer) {
  if (auto argument = dyn_cast<BlockArgument>(buffer))
    return isa<FunctionOpInterface>(argument.getOwner()->getParentOp());
  Operation *op = buffer.getDefiningOp();
  return isa<NewOp, StageOp, memref::GetGlobalOp>(op) ||
         hasEffect<MemoryEffects::Allocate>(op, buffer);
}

bool mlir::tc::areDistinct(Value first, Value second) {
  return first != second && isIdentified(first) && isIdentified(second);
}

AffineExpr mlir::tc::getDistance(MemRefType type,
                                 ArrayRef<AffineExpr> subscripts) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {};
  AffineExpr sum = getAffineConstantExpr(0, type.getContext());
  for (auto [subscript, stride] : llvm::zip_equal(subscripts, strides)) {
    if (ShapedType::isDynamic(stride))
      return {};
    sum = sum + subscript * stride;
  }
  return sum;
}

/// The distance of the first element of a view from the first of its source.
static AffineExpr getOffset(Operation *view, NestValues &values) {
  MLIRContext *context = values.getContext();
  return TypeSwitch<Operation *, AffineExpr>(view)
      .Case([&](ViewOp op) { return values.trace(op.getMixedOffset()); })
      .Case([&](memref::SubViewOp op) {
        SmallVector<AffineExpr> offsets =
            llvm::map_to_vector(op.getMixedOffsets(), [&](OpFoldResult offset) {
              return values.trace(offset);
            });
        return getDistance(op.getSourceType(), offsets);
      })
      .Case([&](memref::ReinterpretCastOp op) {
        // It counts from the source's buffer, not from its first element.
        auto source = dyn_cast<MemRefType>(op.getSource().getType());
        SmallVector<int64_t> strides;
        int64_t first;
        if (!source || failed(source.getStridesAndOffset(strides, first)) ||
            first != 0)
          return AffineExpr();
        return values.trace(op.getMixedOffsets().front());
      })
      .Case([&](memref::CastOp) { return getAffineConstantExpr(0, context); })
      .Default(AffineExpr());
}

/// Completes an access to the element of `memref` at `subscripts`.
static void locate(NestAccess &access, Value memref,
                   ArrayRef<AffineExpr> subscripts, NestValues &values) {
  access.buffer = findBuffer(memref);
  memref = skipAssumptions(memref);
  if (access.buffer == memref) {
    access.subscripts.assign(subscripts.begin(), subscripts.end());
    return;
  }
  access.isLinear = true;
  AffineExpr position =
      getDistance(cast<MemRefType>(memref.getType()), subscripts);
  while (position && memref != access.buffer) {
    auto view = memref.getDefiningOp<ViewLikeOpInterface>();
    AffineExpr offset = getOffset(view, values);
    position = offset ? position + offset : AffineExpr();
    memref = skipAssumptions(view.getViewSource());
  }
  if (position)
    access.subscripts = {position};
}

/// An access that may touch any element of `memref`.
static void locateAll(NestAccess &access, Value memref, NestValues &values) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  SmallVector<AffineExpr> subscripts;
  if (!type) {
    access.buffer = findBuffer(memref);
    access.isLinear = true;
    return;
  }
  SmallVector<OpFoldResult> sizes;
  auto view = memref.getDefiningOp<ViewOp>();
  for (unsigned d = 0, e = type.getRank(); d < e; ++d) {
    AffineExpr subscript = values.addDim();
    subscripts.push_back(subscript);
    access.conditions.push_back(subscript);
    if (!type.isDynamicDim(d))
      access.conditions.push_back(type.getDimSize(d) - 1 - subscript);
    else if (view)
      access.conditions.push_back(values.trace(view.getMixedSizes()[d]) - 1 -
                                  subscript);
  }
  locate(access, memref, subscripts, values);
}

/// An access of `type` at `subscripts`: a vector reaches along the last
/// dimensions of `memref`, or is an element of it.
static void locateVector(NestAccess &access, Value memref, VectorType type,
                         SmallVector<AffineExpr> subscripts,
                         NestValues &values) {
  ArrayRef<int64_t> shape = type.getShape();
  if (auto element = dyn_cast<VectorType>(
          cast<MemRefType>(memref.getType()).getElementType()))
    shape = shape.drop_back(element.getRank());
  access.isExact = shape.empty();
  unsigned first = subscripts.size() - shape.size();
  for (auto [d, extent] : llvm::enumerate(shape)) {
    AffineExpr along = values.addDim();
    subscripts[first + d] = subscripts[first + d] + along;
    llvm::append_values(access.conditions, along, extent - 1 - along);
  }
  locate(access, memref, subscripts, values);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// The access of an op to one element, or to those of one vector; none of other
/// ops.
static std::optional<NestAccess> getElementAccess(Operation *op,
                                                  NestValues &values) {
  NestAccess access{op, Value()};
  access.isExact = true;
  auto trace = [&](ValueRange indices) {
    return llvm::map_to_vector(indices,
                               [&](Value i) { return values.trace(i); });
  };
  auto at = [&](Value memref, ValueRange indices) {
    locate(access, memref, trace(indices), values);
    return access;
  };
  auto atMap = [&](Value memref, AffineMap map, ValueRange operands) {
    locate(access, memref, values.trace(map, operands), values);
    return access;
  };
  return TypeSwitch<Operation *, std::optional<NestAccess>>(op)
      .Case([&](memref::LoadOp load) {
        return at(load.getMemRef(), load.getIndices());
      })
      .Case([&](memref::StoreOp store) {
        access.writes = true;
        return at(store.getMemRef(), store.getIndices());
      })
      .Case<vector::LoadOp, vector::StoreOp>([&](auto vector) {
        access.writes = isa<vector::StoreOp>(vector);
        locateVector(access, vector.getBase(), vector.getVectorType(),
                     trace(vector.getIndices()), values);
        return access;
      })
      .Case<memref::AtomicRMWOp, memref::GenericAtomicRMWOp>([&](auto update) {
        access.writes = access.isAtomic = true;
        return at(update.getMemref(), update.getIndices());
      })
      .Case([&](affine::AffineLoadOp load) {
        return atMap(load.getMemRef(), load.getAffineMap(),
                     load.getMapOperands());
      })
      .Case([&](affine::AffineStoreOp store) {
        access.writes = true;
        return atMap(store.getMemRef(), store.getAffineMap(),
                     store.getMapOperands());
      })
      .Default(std::nullopt);
}

NestAccess mlir::tc::getWholeAccess(Operation *op, Value memref, bool writes,
                                    NestValues &values) {
  NestAccess access{op, Value(), writes};
  locateAll(access, memref, values);
  return access;
}

SmallVector<NestAccess> mlir::tc::getAccesses(Operation *op,
                                              NestValues &values) {
  if (auto access = getElementAccess(op, values))
    return {*access};
  SmallVector<NestAccess> accesses;
  auto add = [&](Value memref, bool writes) {
    accesses.push_back(getWholeAccess(op, memref, writes, values));
  };
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects) {
    if (!op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
        !op->hasTrait<OpTrait::IsTerminator>())
      for (Value operand : op->getOperands())
        if (isa<BaseMemRefType>(operand.getType()))
          add(operand, /*writes=*/true);
    return accesses;
  }
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  for (const MemoryEffects::EffectInstance &instance : instances) {
    Value memref = instance.getValue();
    bool reads = isa<MemoryEffects::Read>(instance.getEffect());
    bool writes = isa<MemoryEffects::Write>(instance.getEffect());
    if (memref && isa<BaseMemRefType>(memref.getType()) && (reads || writes))
      add(memref, writes);
  }
  return accesses;
}
