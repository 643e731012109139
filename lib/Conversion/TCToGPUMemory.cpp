//===- TCToGPUMemory.cpp - Buffers of a kernel ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ExpandIndex.h"
#include "TCToGPU.h"

#include "tc/Algebra/Exprs.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// tc.view
//===----------------------------------------------------------------------===//

/// Is `offset` the place of the thread itself in a buffer whose first
/// dimensions, `strides` apart, number the threads of a tc.par block?
static bool isOwnPart(OpFoldResult offset, ArrayRef<int64_t> sizes,
                      ArrayRef<int64_t> strides) {
  if (llvm::all_of(sizes, [](int64_t size) { return size == 1; }))
    return getConstantIntValue(offset) == 0;
  auto value = dyn_cast<Value>(offset);
  auto apply = value ? value.getDefiningOp<affine::AffineApplyOp>()
                     : affine::AffineApplyOp();
  AffineMap map = apply ? apply.getAffineMap()
                        : AffineMap::getMultiDimIdentityMap(
                              1, sizes.empty() ? nullptr : offset.getContext());
  SmallVector<Value> operands = apply
                                    ? SmallVector<Value>(apply.getMapOperands())
                                    : SmallVector<Value>{value};
  auto form = map.getNumSymbols() == 0
                  ? linearForm(map.getResult(0), map.getNumDims())
                  : std::nullopt;
  if (!form || staticValue(form->constant) != 0)
    return false;
  // Each thread index times the stride of its dimension, and nothing else.
  unsigned matched = 0;
  for (auto [operand, coefficient] :
       llvm::zip_equal(operands, form->coefficients)) {
    auto index = dyn_cast<BlockArgument>(operand);
    auto par =
        index ? dyn_cast<ParOp>(index.getOwner()->getParentOp()) : ParOp();
    unsigned d = index ? index.getArgNumber() : 0;
    if (!par || par.getLevel() != Level::Block || d >= strides.size() ||
        staticValue(coefficient) != strides[d])
      return false;
    ++matched;
  }
  return matched == llvm::count_if(sizes, [](int64_t s) { return s > 1; });
}

LogicalResult KernelBuilder::emitView(ViewOp op) {
  Location loc = op.getLoc();
  // A view of views is one access of the buffer below them all.
  Value root = op.getSource();
  SmallVector<OpFoldResult> offsets = {op.getMixedOffset()};
  while (auto inner = root.getDefiningOp<ViewOp>()) {
    offsets.push_back(inner.getMixedOffset());
    root = inner.getSource();
  }
  if (auto buffer = root.getDefiningOp<NewOp>();
      buffer && buffer.getThreads() > 0) {
    auto type = cast<MemRefType>(buffer.getType());
    SmallVector<int64_t> strides = type.getStridesAndOffset().first;
    size_t threads = buffer.getThreads();
    if (offsets.size() != 1 ||
        !isOwnPart(offsets.front(), type.getShape().take_front(threads),
                   ArrayRef(strides).take_front(threads)))
      return op.emitOpError("expected each thread to view its own part of the "
                            "buffer");
    offsets = {builder.getIndexAttr(0)};
  }
  Value base = mapping.lookupOrDefault(root);
  auto rootType = cast<MemRefType>(base.getType());
  int64_t rootOffset = rootType.getStridesAndOffset().second;
  if (ShapedType::isDynamic(rootOffset))
    return op.emitOpError("expected a buffer of static offset, got ")
           << rootType;
  AffineExpr sum = builder.getAffineConstantExpr(rootOffset);
  SmallVector<OpFoldResult> terms;
  auto inKernel = [&](OpFoldResult value) -> OpFoldResult {
    if (auto dynamic = dyn_cast<Value>(value))
      return mapping.lookupOrDefault(dynamic);
    return value;
  };
  for (OpFoldResult offset : offsets) {
    sum = sum + builder.getAffineDimExpr(terms.size());
    terms.push_back(inKernel(offset));
  }
  OpFoldResult offset = affine::makeComposedFoldedAffineApply(
      builder, loc, AffineMap::get(terms.size(), 0, sum), terms);
  SmallVector<OpFoldResult> sizes =
      llvm::map_to_vector(op.getMixedSizes(), inKernel);
  SmallVector<OpFoldResult> strides =
      llvm::map_to_vector(op.getMixedStrides(), inKernel);
  int64_t staticOffset =
      getConstantIntValue(offset).value_or(ShapedType::kDynamic);
  auto layout = StridedLayoutAttr::get(builder.getContext(), staticOffset,
                                       op.getLmad().getStrides());
  auto type =
      MemRefType::get(op.getLmad().getSizes(), rootType.getElementType(),
                      layout, rootType.getMemorySpace());
  mapping.map(op.getResult(),
              memref::ReinterpretCastOp::create(builder, loc, type, base,
                                                offset, sizes, strides)
                  .getResult());
  return success();
}

//===----------------------------------------------------------------------===//
// tc.new and tc.stage
//===----------------------------------------------------------------------===//

Value KernelBuilder::buildWorkgroupBuffer(Location loc, MemRefType type) {
  // A layout may be padded; what is reserved is the dense buffer below it, in
  // whole units of 16 bytes: LLVM may read a tail of three elements as four.
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t elements = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    elements += (size - 1) * stride;
  int64_t bits = type.getElementTypeBitWidth();
  elements = llvm::divideCeil(llvm::alignTo(elements * bits, 128), bits);
  auto dense =
      MemRefType::get({elements}, type.getElementType(),
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value buffer = launch.addWorkgroupAttribution(dense, loc);
  return memref::ReinterpretCastOp::create(builder, loc, type, buffer, offset,
                                           type.getShape(), strides);
}

SmallVector<Value> KernelBuilder::buildTileIndex(Location loc, Value position,
                                                 ArrayRef<int64_t> sizes) {
  SmallVector<AffineExpr> exprs;
  for (int64_t size : sizes)
    exprs.push_back(builder.getAffineConstantExpr(size));
  SmallVector<Value> index;
  for (AffineExpr expr :
       mlir::tc::delinearize(builder.getAffineDimExpr(0), exprs))
    index.push_back(expandIndex(builder, loc, expr, position));
  return index;
}

void KernelBuilder::buildCooperativeLoop(Location loc, int64_t count,
                                         function_ref<void(Value)> body) {
  int64_t threads = blockSize[0] * blockSize[1] * blockSize[2];
  OpBuilder::InsertionGuard guard(builder);
  AffineExpr round = builder.getAffineDimExpr(0);
  Value position = threadNumber;
  if (count > threads) {
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantIndexOp::create(builder, loc, value);
    };
    auto loop = scf::ForOp::create(builder, loc, constant(0),
                                   constant(llvm::divideCeil(count, threads)),
                                   constant(1));
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    position =
        expandIndex(builder, loc, round * threads + builder.getAffineDimExpr(1),
                    {loop.getInductionVar(), threadNumber});
  }
  if (count % threads != 0) {
    Value end = arith::ConstantIndexOp::create(builder, loc, count);
    Value works = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ult,
                                        position, end);
    auto branch = scf::IfOp::create(builder, loc, works);
    builder.setInsertionPoint(branch.thenBlock()->getTerminator());
  }
  body(position);
}

LogicalResult KernelBuilder::emitNew(NewOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  Value init;
  if (TypedAttr attr = op.getInitAttr())
    init = arith::ConstantOp::create(builder, loc, attr);
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)) {
    Value buffer = buildWorkgroupBuffer(loc, type);
    mapping.map(op.getResult(), buffer);
    if (init)
      buildCooperativeLoop(loc, type.getNumElements(), [&](Value position) {
        memref::StoreOp::create(builder, loc, init, buffer,
                                buildTileIndex(loc, position, type.getShape()));
      });
    return success();
  }
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space || space.getValue() != gpu::AddressSpace::Private)
    return op.emitOpError("expected workgroup or private memory in a kernel; "
                          "run tc-promote first");
  ArrayRef<int64_t> shape = type.getShape().drop_front(op.getThreads());
  auto own =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Value buffer = memref::AllocaOp::create(builder, loc, own);
  mapping.map(op.getResult(), buffer);
  // Unrolled, so that the elements can live in registers.
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  for (int64_t e = 0; init && e < own.getNumElements(); ++e) {
    SmallVector<Value> index;
    for (int64_t i : mlir::delinearize(e, strides))
      index.push_back(arith::ConstantIndexOp::create(builder, loc, i));
    memref::StoreOp::create(builder, loc, init, buffer, index);
  }
  return success();
}

LogicalResult KernelBuilder::emitStage(StageOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op.emitOpError("expected a result in workgroup memory, got ")
           << type;
  Value source = mapping.lookupOrDefault(op.getSource());
  Value buffer = buildWorkgroupBuffer(loc, type);
  mapping.map(op.getResult(), buffer);
  buildCooperativeLoop(loc, type.getNumElements(), [&](Value position) {
    SmallVector<Value> index = buildTileIndex(loc, position, type.getShape());
    Value inside;
    for (auto [d, size] : llvm::enumerate(type.getShape())) {
      if (cast<MemRefType>(source.getType()).getDimSize(d) == size)
        continue;
      Value extent = builder.createOrFold<memref::DimOp>(loc, source, d);
      Value holds = arith::CmpIOp::create(
          builder, loc, arith::CmpIPredicate::slt, index[d], extent);
      inside =
          inside
              ? arith::AndIOp::create(builder, loc, inside, holds).getResult()
              : holds;
    }
    auto load = [&](OpBuilder &at) -> Value {
      return memref::LoadOp::create(at, loc, source, index);
    };
    Value value;
    if (!inside) {
      value = load(builder);
    } else {
      Value pad = arith::ConstantOp::create(builder, loc, op.getPad());
      value = scf::IfOp::create(
                  builder, loc, inside,
                  [&](OpBuilder &then, Location) {
                    scf::YieldOp::create(then, loc, load(then));
                  },
                  [&](OpBuilder &otherwise, Location) {
                    scf::YieldOp::create(otherwise, loc, pad);
                  })
                  .getResult(0);
    }
    memref::StoreOp::create(builder, loc, value, buffer, index);
  });
  return success();
}
