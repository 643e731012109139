//===- TCToGPUMemory.cpp - Buffers of a kernel ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"

#include "tc/Algebra/Exprs.h"
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"
#include "tc/Target/Machine.h"

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

/// What a kernel may declare on any chip.
static const int64_t kMaxSharedBytes = Machine().sharedBytesPerBlock;
/// Private elements that are initialised one by one, so that they can live in
/// registers.
static constexpr int64_t kMaxUnrolled = 4096;

int64_t KernelBuilder::countBuffers(StageOp stage) {
  auto steps = dyn_cast<SeqOp>(stage->getParentOp());
  return steps && isPipelined(steps) ? int64_t(steps.getStages()) : 1;
}

ParOp KernelBuilder::getOwner(Operation *op) {
  auto owner = op->getParentOfType<ParOp>();
  while (owner.getLevel() == Level::Thread)
    owner = owner->getParentOfType<ParOp>();
  return owner;
}

KernelBuilder::Team KernelBuilder::getTeam(NewOp op) {
  ParOp owner = getOwner(op);
  int64_t threads = countThreads();
  if (owner.isOfBlocks())
    return {1, threads};
  int64_t members = owner == grid ? 1 : owner.getMemberThreads();
  return {threads / members, members};
}

std::optional<int64_t> KernelBuilder::countReservedBytes(Operation *op) {
  auto buffer = dyn_cast<NewOp>(op);
  auto type = cast<MemRefType>(op->getResult(0).getType());
  // Each block of a cluster has a row.
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
      getOwner(op).hasClusters())
    type = MemRefType::Builder(type).setShape(type.getShape().drop_front());
  auto bytes = countBufferBytes(type);
  int64_t buffers =
      buffer ? getTeam(buffer).count : countBuffers(cast<StageOp>(op));
  return bytes ? llvm::checkedMul(*bytes, buffers) : std::nullopt;
}

FailureOr<Value> KernelBuilder::reserve(Operation *op, MemRefType type) {
  std::optional<int64_t> slot = getSlot(op);
  if (Value memory = slot ? slots.lookup(*slot) : memories.lookup(op))
    return memory;
  SmallVector<Operation *> sharers;
  if (slot)
    grid.walk([&](Operation *other) {
      if (getSlot(other) == slot)
        sharers.push_back(other);
    });
  else
    sharers.push_back(op);
  // Buffers of several types share bytes; so do those of several teams, which
  // all begin at offset 0, since a program may count on it.
  auto isOfTeams = [&](Operation *sharer) {
    auto buffer = dyn_cast<NewOp>(sharer);
    return buffer && getTeam(buffer).count > 1;
  };
  Type element = type.getElementType();
  int64_t bytes = 0;
  for (Operation *sharer : sharers) {
    if (isOfTeams(sharer) ||
        getElementTypeOrSelf(sharer->getResult(0).getType()) != element)
      element = builder.getI8Type();
    bytes = std::max(bytes,
                     countReservedBytes(sharer).value_or(kMaxSharedBytes + 1));
  }
  if (bytes > kMaxSharedBytes || (sharedBytes += bytes) > kMaxSharedBytes)
    return op->emitOpError("expected at most ")
           << kMaxSharedBytes << " bytes of workgroup memory in a kernel";
  auto dense =
      MemRefType::get({bytes / getBytes(element)}, element,
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value memory = launch.addWorkgroupAttribution(dense, op->getLoc());
  (slot ? slots[*slot] : memories[op]) = memory;
  return memory;
}

LogicalResult KernelBuilder::verifyBuffer(Operation *op, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (getBytes(type.getElementType()) == 0 ||
      failed(type.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::any_of(strides, [](int64_t s) { return s < 0; }))
    return op->emitOpError("expected a buffer of numbers, from offset 0 on, "
                           "of static strides of at least 0, got ")
           << type;
  return success();
}

Value KernelBuilder::viewElements(Location loc, MemRefType type, Value memory,
                                  Value number) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  OpFoldResult begin = builder.getIndexAttr(0);
  if (number) {
    int64_t elements =
        *countBufferBytes(type) / getBytes(type.getElementType());
    begin = expandIndex(builder, loc, builder.getAffineDimExpr(0) * elements,
                        number);
    auto layout = StridedLayoutAttr::get(builder.getContext(),
                                         ShapedType::kDynamic, strides);
    type = MemRefType::get(type.getShape(), type.getElementType(), layout,
                           type.getMemorySpace());
  }
  return memref::ReinterpretCastOp::create(
      builder, loc, type, memory, begin,
      getAsIndexOpFoldResult(builder.getContext(), type.getShape()),
      getAsIndexOpFoldResult(builder.getContext(), strides));
}

Value KernelBuilder::viewBytes(Location loc, MemRefType type, Value memory,
                               Value number) {
  Type element = type.getElementType();
  Attribute space = cast<MemRefType>(memory.getType()).getMemorySpace();
  int64_t bytes = *countBufferBytes(type);
  Value begin = number
                    ? expandIndex(builder, loc,
                                  builder.getAffineDimExpr(0) * bytes, number)
                    : buildConstant(loc, 0);
  auto own = MemRefType::get({bytes / getBytes(element)}, element,
                             MemRefLayoutAttrInterface(), space);
  memory = memref::ViewOp::create(builder, loc, own, memory, begin,
                                  /*sizes=*/ValueRange());
  return viewElements(loc, MemRefType::Builder(type).setMemorySpace(space),
                      memory, /*number=*/{});
}

FailureOr<Value> KernelBuilder::buildWorkgroupBuffer(Operation *op,
                                                     MemRefType type,
                                                     Value number) {
  if (failed(verifyBuffer(op, type)))
    return failure();
  FailureOr<Value> memory = reserve(op, type);
  if (failed(memory))
    return failure();
  bool isBytes =
      (isa<NewOp>(op) && number) ||
      getElementTypeOrSelf(memory->getType()) != type.getElementType();
  return isBytes ? viewBytes(op->getLoc(), type, *memory, number)
                 : viewElements(op->getLoc(), type, *memory, number);
}

SmallVector<Value> KernelBuilder::buildTileIndex(Location loc, Value position,
                                                 ArrayRef<int64_t> sizes) {
  SmallVector<Value> index;
  for (AffineExpr expr : mlir::tc::delinearize(
           builder.getAffineDimExpr(0),
           getAffineConstantExprs(sizes, builder.getContext())))
    index.push_back(expandIndex(builder, loc, expr, position));
  return index;
}

void KernelBuilder::buildCooperativeLoop(Location loc, int64_t count,
                                         function_ref<void(Value)> body) {
  buildTeamLoop(loc, count, countThreads(), threadNumber, body);
}

void KernelBuilder::buildTeamLoop(Location loc, int64_t count, int64_t threads,
                                  Value member,
                                  function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(builder);
  AffineExpr round = builder.getAffineDimExpr(0);
  Value position = member;
  if (count > threads) {
    int64_t rounds = llvm::divideCeil(count, threads);
    auto loop =
        scf::ForOp::create(builder, loc, buildConstant(loc, 0),
                           buildConstant(loc, rounds), buildConstant(loc, 1));
    setUnrollCount(loop, kCopiesInFlight);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    position =
        expandIndex(builder, loc, round * threads + builder.getAffineDimExpr(1),
                    {loop.getInductionVar(), member});
  }
  if (count % threads != 0)
    enter(buildIsBelow(loc, position, count));
  body(position);
}

void KernelBuilder::initialize(NewOp op, Value buffer, ArrayRef<int64_t> shape,
                               int64_t threads, Value member) {
  Location loc = op.getLoc();
  if (!op.getInitAttr())
    return;
  Value value = buildNumber(builder, loc, op.getInitAttr());
  buildTeamLoop(loc, ShapedType::getNumElements(shape), threads, member,
                [&](Value position) {
                  memref::StoreOp::create(builder, loc, value, buffer,
                                          buildTileIndex(loc, position, shape));
                });
}

FailureOr<Value> KernelBuilder::buildGlobalBuffer(NewOp op, MemRefType type,
                                                  Value number) {
  if (failed(verifyBuffer(op, type)))
    return failure();
  Location loc = op.getLoc();
  std::optional<int64_t> bytes = countReservedBytes(op);
  if (!bytes || indexWidth < 64)
    return op.emitOpError("expected a buffer in global memory whose bytes are "
                          "counted by 64 bits");
  auto multiply = [&](OpBuilder &at, Value a, Value b) -> Value {
    return at.createOrFold<arith::MulIOp>(loc, a, b);
  };
  // One workspace for all teams, made by the host.
  OpBuilder host(launch);
  auto countAll = [&](OpBuilder &at, gpu::KernelDim3 blocks) {
    Value own = arith::ConstantIndexOp::create(at, loc, *bytes);
    Value rows = multiply(at, blocks.y, blocks.z);
    return multiply(at, multiply(at, blocks.x, rows), own);
  };
  Value count = countAll(host, launch.getGridSizeOperandValues());
  std::optional<int64_t> known = getConstantIntValue(count);
  auto bytesType =
      MemRefType::get(known.value_or(ShapedType::kDynamic), host.getI8Type());
  Value memory = memref::AllocOp::create(host, loc, bytesType,
                                         known ? ValueRange() : count);
  // Where the size is not part of its type a kernel takes no more of it than
  // where it begins.
  if (!known)
    memory = memref::ReinterpretCastOp::create(
        builder, loc, bytesType,
        memref::ExtractStridedMetadataOp::create(host, loc, memory)
            .getBaseBuffer(),
        builder.getIndexAttr(0),
        OpFoldResult(countAll(builder, launch.getGridSize())),
        OpFoldResult(builder.getIndexAttr(1)));
  // The block's number, as blocks are counted along x, then y, then z.
  gpu::KernelDim3 block = launch.getBlockIds(), sizes = launch.getGridSize();
  // What is a cluster's is numbered by it, and there are less of these.
  if (getOwner(op).hasClusters())
    block = *launch.getClusterIds();
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  Value row = add(block.y, multiply(builder, block.z, sizes.y));
  Value team = add(block.x, multiply(builder, row, sizes.x));
  int64_t teams = getTeam(op).count;
  if (number)
    team = expandIndex(builder, loc,
                       builder.getAffineDimExpr(0) * teams +
                           builder.getAffineDimExpr(1),
                       {team, number});
  memory = memref::MemorySpaceCastOp::create(
      builder, loc,
      MemRefType(
          MemRefType::Builder(bytesType).setMemorySpace(type.getMemorySpace())),
      memory);
  return viewBytes(loc, type, memory, team);
}

Value KernelBuilder::buildPrivateBuffer(Location loc, MemRefType type) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&launch.getBody().front());
  return memref::AllocaOp::create(builder, loc, type);
}

bool KernelBuilder::isPrivate(NewOp op) {
  auto type = cast<MemRefType>(op.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Private;
}

LogicalResult KernelBuilder::emitNew(NewOp op) {
  auto type = cast<MemRefType>(op.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space)
    return op.emitOpError("expected workgroup, private or global memory in a "
                          "kernel; run tc-promote first");
  if (isPrivate(op))
    return emitPrivateNew(op);
  if (getOwner(op).hasClusters() &&
      space.getValue() == gpu::AddressSpace::Workgroup)
    return emitClusterNew(op);
  Location loc = op.getLoc();
  Team team = getTeam(op);
  AffineExpr thread = builder.getAffineDimExpr(0);
  Value number;
  if (team.count > 1)
    number =
        expandIndex(builder, loc, thread.floorDiv(team.threads), threadNumber);
  FailureOr<Value> buffer = space.getValue() == gpu::AddressSpace::Workgroup
                                ? buildWorkgroupBuffer(op, type, number)
                                : buildGlobalBuffer(op, type, number);
  if (failed(buffer))
    return failure();
  mapping.map(op.getResult(), *buffer);
  Value member = threadNumber;
  if (op.getInitAttr() && team.count > 1)
    member = expandIndex(builder, loc, thread % team.threads, threadNumber);
  initialize(op, *buffer, type.getShape(), team.threads, member);
  return success();
}

LogicalResult KernelBuilder::emitPrivateNew(NewOp op) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  ArrayRef<int64_t> shape = type.getShape().drop_front(op.getThreads());
  if (!type.getLayout().isIdentity())
    return op.emitOpError("expected private memory without a layout, got ")
           << type;
  auto own =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  std::optional<int64_t> bytes = countBufferBytes(own);
  if (int64_t most = Machine().localBytesPerThread; !bytes || *bytes > most)
    return op.emitOpError("expected at most ")
           << most << " bytes of private memory for a thread";
  for (Operation *user : op->getUsers())
    if (op.getThreads() > 0 && !isa<memref::SubViewOp>(user))
      return user->emitOpError("expected a buffer of threads to be used by "
                               "memref.subview alone");
  Value buffer = buildPrivateBuffer(loc, own);
  mapping.map(op.getResult(), buffer);
  if (!op.getInitAttr())
    return success();
  int64_t elements = own.getNumElements();
  if (elements > kMaxUnrolled) {
    initialize(op, buffer, shape, /*threads=*/1, buildConstant(loc, 0));
    return success();
  }
  Value value = buildNumber(builder, loc, op.getInitAttr());
  SmallVector<int64_t> strides = computeSuffixProduct(shape);
  for (int64_t position = 0; position < elements; ++position)
    memref::StoreOp::create(
        builder, loc, value, buffer,
        llvm::map_to_vector(mlir::delinearize(position, strides),
                            [&](int64_t i) { return buildConstant(loc, i); }));
  return success();
}
