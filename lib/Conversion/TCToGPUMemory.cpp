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
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// What a kernel may declare on any chip (CUDA programming guide, table
/// "technical specifications per compute capability").
static constexpr int64_t kMaxSharedBytes = 48 * 1024;
/// Private elements are stored to one by one.
static constexpr int64_t kMaxPrivate = 4096;

int64_t mlir::tc::getBytes(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * getBytes(complex.getElementType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

/// Elements of a padded layout: of the dense buffer below it, in whole units of
/// 16 bytes, since LLVM may read a tail of three elements as four. Nothing
/// where there are too many.
static std::optional<int64_t> countElements(MemRefType type) {
  auto [strides, offset] = type.getStridesAndOffset();
  std::optional<int64_t> elements = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    if (elements)
      elements = llvm::checkedMulAdd<int64_t>(std::max<int64_t>(size - 1, 0),
                                              stride, *elements);
  if (!elements || *elements > kMaxSharedBytes)
    return std::nullopt;
  int64_t bytes = getBytes(type.getElementType());
  return llvm::divideCeil(llvm::alignTo(*elements * bytes, 16), bytes);
}

int64_t KernelBuilder::countBuffers(StageOp stage) {
  auto steps = dyn_cast<SeqOp>(stage->getParentOp());
  return steps && isPipelined(steps) ? int64_t(steps.getStages()) : 1;
}

int64_t KernelBuilder::countOwners(Operation *op) {
  auto owner = op->getParentOfType<ParOp>();
  return owner == grid ? 1 : countThreads() / owner.getMemberThreads();
}

/// The slot of a tc.stage or tc.new; none if it has memory of its own.
static std::optional<int64_t> getSlot(Operation *op) {
  if (auto stage = dyn_cast<StageOp>(op))
    return stage.getSlot();
  return cast<NewOp>(op).getSlot();
}

std::optional<int64_t> KernelBuilder::countReserved(Operation *op) {
  auto stage = dyn_cast<StageOp>(op);
  std::optional<int64_t> elements =
      countElements(cast<MemRefType>(op->getResult(0).getType()));
  if (elements)
    *elements *= stage ? countBuffers(stage) : countOwners(op);
  return elements;
}

FailureOr<Value> KernelBuilder::reserve(Operation *op, MemRefType type) {
  std::optional<int64_t> slot = getSlot(op);
  Type element = type.getElementType();
  if (Value memory =
          slot ? slots.lookup({*slot, element}) : memories.lookup(op))
    return memory;
  std::optional<int64_t> elements = countReserved(op);
  if (slot)
    grid.walk([&](Operation *other) {
      if (isa<StageOp, NewOp>(other) && getSlot(other) == slot && elements &&
          getElementTypeOrSelf(other->getResult(0).getType()) == element)
        elements = std::max(*elements, countReserved(other).value_or(0));
    });
  if (!elements ||
      (sharedBytes += *elements * getBytes(element)) > kMaxSharedBytes)
    return op->emitOpError("expected at most ")
           << kMaxSharedBytes << " bytes of workgroup memory in a kernel";
  auto dense = MemRefType::get(
      {*elements}, element, MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value memory = launch.addWorkgroupAttribution(dense, op->getLoc());
  (slot ? slots[{*slot, element}] : memories[op]) = memory;
  return memory;
}

FailureOr<Value> KernelBuilder::buildWorkgroupBuffer(Operation *op,
                                                     MemRefType type,
                                                     Value number) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (getBytes(type.getElementType()) == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::any_of(strides, [](int64_t s) { return s < 0; }))
    return op->emitOpError("expected workgroup memory of numbers, from offset "
                           "0 on, of static strides of at least 0, got ")
           << type;
  FailureOr<Value> memory = reserve(op, type);
  if (failed(memory))
    return failure();
  if (!number)
    return memref::ReinterpretCastOp::create(builder, op->getLoc(), type,
                                             *memory, offset, type.getShape(),
                                             strides)
        .getResult();
  // One of several buffers in a row.
  Value begin =
      expandIndex(builder, op->getLoc(),
                  builder.getAffineDimExpr(0) * *countElements(type), number);
  auto layout = StridedLayoutAttr::get(builder.getContext(),
                                       ShapedType::kDynamic, strides);
  return memref::ReinterpretCastOp::create(
             builder, op->getLoc(),
             MemRefType::get(type.getShape(), type.getElementType(), layout,
                             type.getMemorySpace()),
             *memory, OpFoldResult(begin),
             getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
             getAsIndexOpFoldResult(builder.getContext(), strides))
      .getResult();
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

/// Copies in flight, per thread. Unrolled further, the addresses of a long loop
/// cost more registers than the tile leaves, and ptxas spills.
static constexpr int64_t kCopiesInFlight = 4;

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
    setUnrollCount(loop, kCopiesInFlight);
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

Value KernelBuilder::buildPrivateBuffer(Location loc, MemRefType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return memref::AllocaOp::create(builder, loc, type);
}

LogicalResult KernelBuilder::emitNew(NewOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  Value init;
  if (TypedAttr attr = op.getInitAttr())
    init = buildNumber(builder, loc, attr);
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type)) {
    Value number;
    if (auto owner = op->getParentOfType<ParOp>(); countOwners(op) > 1)
      number = expandMember(owner);
    FailureOr<Value> buffer = buildWorkgroupBuffer(op, type, number);
    if (failed(buffer))
      return failure();
    mapping.map(op.getResult(), *buffer);
    if (init)
      buildCooperativeLoop(loc, type.getNumElements(), [&](Value position) {
        memref::StoreOp::create(builder, loc, init, *buffer,
                                buildTileIndex(loc, position, type.getShape()));
      });
    return success();
  }
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space || space.getValue() != gpu::AddressSpace::Private)
    return op.emitOpError("expected workgroup or private memory in a kernel; "
                          "run tc-promote first");
  ArrayRef<int64_t> shape = type.getShape().drop_front(op.getThreads());
  int64_t elements = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(elements, size, elements) || elements > kMaxPrivate)
      return op.emitOpError("expected at most ")
             << kMaxPrivate << " elements of private memory for a thread";
  if (!type.getLayout().isIdentity())
    return op.emitOpError("expected private memory without a layout, got ")
           << type;
  for (Operation *user : op->getUsers())
    if (op.getThreads() > 0 && !isa<ViewOp>(user))
      return user->emitOpError("expected a buffer of threads to be viewed by "
                               "tc.view alone");
  auto own =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  Value buffer = buildPrivateBuffer(loc, own);
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
