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

/// What a kernel may declare on any chip; more it gets by opting in.
static const int64_t kMostDeclaredBytes = Machine().sharedBytesPerBlock;
/// Private elements that are initialised one by one, so that they can live in
/// registers.
static constexpr int64_t kMaxUnrolled = 1024;

//===----------------------------------------------------------------------===//
// Whose a buffer is
//===----------------------------------------------------------------------===//

/// The tc.par whose iteration has the buffer: that round `op`, or, as loops
/// have no threads of their own, round the loops it is in.
static ParOp getOwner(Operation *op) {
  auto owner = op->getParentOfType<ParOp>();
  while (owner.getLevel() == Level::Thread)
    owner = owner->getParentOfType<ParOp>();
  return owner;
}

bool mlir::tc::isOfClusters(KernelContext &kernel, Operation *op) {
  return kernel.hasClusters && getOwner(op) == kernel.grid;
}

namespace {
/// How many teams of a block have a buffer each, and the threads of one.
struct Team {
  int64_t count, threads;
};
} // namespace

static Team getTeam(KernelContext &kernel, NewOp op) {
  ParOp owner = getOwner(op);
  int64_t threads = kernel.countThreads();
  if (owner.isOfBlocks())
    return {1, threads};
  int64_t members = owner.getMemberThreads();
  return {threads / members, members};
}

//===----------------------------------------------------------------------===//
// Workgroup memory
//===----------------------------------------------------------------------===//

/// Bytes that all buffers of `op` in a block need; none where they are more
/// than an integer holds.
static std::optional<int64_t> countReservedBytes(KernelContext &kernel,
                                                 Operation *op) {
  auto type = cast<MemRefType>(op->getResult(0).getType());
  // Each block of a cluster has a row.
  if (gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type) &&
      isOfClusters(kernel, op))
    type = MemRefType::Builder(type).setShape(type.getShape().drop_front());
  auto bytes = countBufferBytes(type);
  int64_t buffers = 1;
  if (auto buffer = dyn_cast<NewOp>(op))
    buffers = getTeam(kernel, buffer).count;
  else if (auto steps = dyn_cast<SeqOp>(op->getParentOp());
           steps && isPipelined(steps))
    buffers = steps.getStages();
  return bytes ? llvm::checkedMul(*bytes, buffers) : std::nullopt;
}

static LogicalResult verifyBuffer(Operation *op, MemRefType type) {
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

FailureOr<Value> mlir::tc::reserve(KernelContext &kernel, Operation *op,
                                   MemRefType type) {
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op->emitOpError("expected a result in workgroup memory, got ")
           << type;
  if (failed(verifyBuffer(op, type)))
    return failure();
  std::optional<int64_t> slot = getSlot(op);
  if (Value memory = slot ? kernel.slots.lookup(*slot) : Value())
    return memory;
  SmallVector<Operation *> sharers = {op};
  if (slot)
    sharers = collectOps<Operation *>(
        kernel.grid, [&](Operation *other) { return getSlot(other) == slot; });
  // Buffers of several types share bytes; so do those of several teams, which
  // all begin at offset 0, since a program may count on it.
  auto isOfTeams = [&](Operation *sharer) {
    auto buffer = dyn_cast<NewOp>(sharer);
    return buffer && getTeam(kernel, buffer).count > 1;
  };
  Type element = type.getElementType();
  int64_t bytes = 0, end;
  for (Operation *sharer : sharers) {
    if (isOfTeams(sharer) ||
        getElementTypeOrSelf(sharer->getResult(0).getType()) != element)
      element = kernel.builder.getI8Type();
    bytes = std::max(bytes, countReservedBytes(kernel, sharer)
                                .value_or(std::numeric_limits<int64_t>::max()));
  }
  if (llvm::AddOverflow<int64_t>(kernel.sharedBytes, bytes, end))
    end = std::numeric_limits<int64_t>::max();
  if (auto problem = kernel.machine.findSharedProblem(end))
    return op->emitOpError(*problem);
  kernel.sharedBytes = end;
  auto dense =
      MemRefType::get({bytes / getBytes(element)}, element,
                      MemRefLayoutAttrInterface(), type.getMemorySpace());
  Value memory = kernel.launch.addWorkgroupAttribution(dense, op->getLoc());
  if (slot)
    kernel.slots[*slot] = memory;
  return memory;
}

void mlir::tc::optIntoSharedMemory(KernelContext &kernel) {
  if (kernel.sharedBytes <= kMostDeclaredBytes)
    return;
  gpu::LaunchOp launch = kernel.launch;
  Location loc = launch.getLoc();
  Block &body = launch.getBody().front();
  OpBuilder host(launch), builder = OpBuilder::atBlockBegin(&body);
  auto space = gpu::AddressSpaceAttr::get(builder.getContext(),
                                          gpu::AddressSpace::Workgroup);
  Value all = gpu::DynamicSharedMemoryOp::create(
      builder, loc,
      MemRefType::get(ShapedType::kDynamic, builder.getI8Type(),
                      MemRefLayoutAttrInterface(), space));
  // Each begins where it may: buffers have whole units of kSharedAlignment.
  int64_t end = 0;
  for (BlockArgument buffer : launch.getWorkgroupAttributions()) {
    auto type = cast<MemRefType>(buffer.getType());
    Value begin = arith::ConstantIndexOp::create(builder, loc, end);
    buffer.replaceAllUsesWith(memref::ViewOp::create(
        builder, buffer.getLoc(), type, all, begin, /*sizes=*/ValueRange()));
    end += *countBufferBytes(type);
  }
  body.eraseArguments(launch.getNumConfigRegionAttributes(),
                      launch.getNumWorkgroupAttributions());
  launch->removeAttr(gpu::LaunchOp::getNumWorkgroupAttributionsAttrName());
  launch.getDynamicSharedMemorySizeMutable().assign(
      arith::ConstantIntOp::create(host, loc, end, /*width=*/32));
}

static Value viewElements(OpBuilder &builder, Location loc, MemRefType type,
                          Value memory, Value number) {
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

/// The same of bytes; the buffer begins at offset 0 of what it is.
static Value viewBytes(OpBuilder &builder, Location loc, MemRefType type,
                       Value memory, Value number) {
  Type element = type.getElementType();
  Attribute space = cast<MemRefType>(memory.getType()).getMemorySpace();
  int64_t bytes = *countBufferBytes(type);
  Value begin =
      number ? expandIndex(builder, loc, builder.getAffineDimExpr(0) * bytes,
                           number)
             : arith::ConstantIndexOp::create(builder, loc, 0).getResult();
  auto own = MemRefType::get({bytes / getBytes(element)}, element,
                             MemRefLayoutAttrInterface(), space);
  memory = memref::ViewOp::create(builder, loc, own, memory, begin,
                                  /*sizes=*/ValueRange());
  return viewElements(builder, loc,
                      MemRefType::Builder(type).setMemorySpace(space), memory,
                      /*number=*/{});
}

Value mlir::tc::viewBuffer(OpBuilder &builder, Operation *op, MemRefType type,
                           Value memory, Value number) {
  bool isBytes =
      (isa<NewOp>(op) && number) ||
      getElementTypeOrSelf(memory.getType()) != type.getElementType();
  return (isBytes ? viewBytes : viewElements)(builder, op->getLoc(), type,
                                              memory, number);
}

//===----------------------------------------------------------------------===//
// Loops of a team
//===----------------------------------------------------------------------===//

SmallVector<Value> mlir::tc::buildTileIndex(OpBuilder &builder, Location loc,
                                            Value position,
                                            ArrayRef<int64_t> sizes) {
  return llvm::map_to_vector(
      mlir::tc::delinearize(
          builder.getAffineDimExpr(0),
          getAffineConstantExprs(sizes, builder.getContext())),
      [&](AffineExpr expr) {
        return expandIndex(builder, loc, expr, position);
      });
}

void mlir::tc::buildTeamLoop(OpBuilder &builder, Location loc, int64_t count,
                             int64_t threads, Value member,
                             function_ref<void(Value)> body) {
  OpBuilder::InsertionGuard guard(builder);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  AffineExpr round = builder.getAffineDimExpr(0);
  Value position = member;
  if (count > threads) {
    int64_t rounds = llvm::divideCeil(count, threads);
    auto loop = scf::ForOp::create(builder, loc, constant(0), constant(rounds),
                                   constant(1));
    setUnrollCount(loop, kCopiesInFlight);
    builder.setInsertionPoint(loop.getBody()->getTerminator());
    position =
        expandIndex(builder, loc, round * threads + builder.getAffineDimExpr(1),
                    {loop.getInductionVar(), member});
  }
  if (count % threads != 0)
    enter(builder, buildIsBelow(builder, loc, position, count));
  body(position);
}

void mlir::tc::initialize(OpBuilder &builder, NewOp op, Value buffer,
                          ArrayRef<int64_t> shape, int64_t threads,
                          Value member) {
  Location loc = op.getLoc();
  if (!op.getInitAttr())
    return;
  Value value = buildNumber(builder, loc, op.getInitAttr());
  buildTeamLoop(builder, loc, ShapedType::getNumElements(shape), threads,
                member, [&](Value position) {
                  memref::StoreOp::create(
                      builder, loc, value, buffer,
                      buildTileIndex(builder, loc, position, shape));
                });
}

//===----------------------------------------------------------------------===//
// tc.new
//===----------------------------------------------------------------------===//

/// A buffer in global memory, which the host reserves for all blocks.
static FailureOr<Value> buildGlobalBuffer(KernelContext &kernel, NewOp op,
                                          MemRefType type, Value number) {
  if (failed(verifyBuffer(op, type)))
    return failure();
  OpBuilder &builder = kernel.builder;
  gpu::LaunchOp launch = kernel.launch;
  Location loc = op.getLoc();
  std::optional<int64_t> bytes = countReservedBytes(kernel, op);
  if (!bytes || kernel.getIndexWidth() < 64)
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
  if (isOfClusters(kernel, op))
    block = *launch.getClusterIds();
  auto add = [&](Value a, Value b) -> Value {
    return arith::AddIOp::create(builder, loc, a, b);
  };
  Value row = add(block.y, multiply(builder, block.z, sizes.y));
  Value team = add(block.x, multiply(builder, row, sizes.x));
  int64_t teams = getTeam(kernel, op).count;
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
  return viewBytes(builder, loc, type, memory, team);
}

/// Are the first subscripts of `part` the number of the thread itself in the
/// tc.par block round it, and in a tc.par warp inside of that?
static bool isOwnPart(memref::SubViewOp part, unsigned threads) {
  SmallVector<Value> indices = getThreadIndices(part);
  if (indices.size() != threads)
    return false;
  for (auto [d, index] : llvm::enumerate(indices)) {
    OpFoldResult offset = part.getMixedOffsets()[d];
    bool isOnly = part.getSourceType().getDimSize(d) == 1 &&
                  isConstantIntValue(offset, 0);
    if (part.getStaticSize(d) != 1 ||
        (offset != OpFoldResult(index) && !isOnly))
      return false;
  }
  return true;
}

/// Lets what uses the part of a thread of `op` use `buffer`, which is the
/// thread's own.
static LogicalResult lowerParts(IRRewriter &builder, NewOp op, Value buffer) {
  size_t threads = op.getThreads();
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto part = dyn_cast<memref::SubViewOp>(user);
    if (!part)
      return user->emitOpError("expected each use of a buffer of threads to "
                               "stay in the part of its thread: a load, a "
                               "store, a memref.subview or a static tc.view "
                               "at the indices of the tc.par block");
    if (!isOwnPart(part, threads))
      return part.emitOpError("expected each thread to view its own part of "
                              "the buffer");
    SmallVector<OpFoldResult> offsets = part.getMixedOffsets(),
                              sizes = part.getMixedSizes(),
                              steps = part.getMixedStrides();
    for (auto *values : {&offsets, &sizes, &steps})
      values->erase(values->begin(), values->begin() + threads);
    builder.setInsertionPoint(part);
    builder.replaceOpWithNewOp<memref::SubViewOp>(
        part,
        memref::SubViewOp::inferRankReducedResultType(
            part.getType().getShape(), cast<MemRefType>(buffer.getType()),
            offsets, sizes, steps),
        buffer, offsets, sizes, steps);
  }
  return success();
}

/// A buffer of each thread. It is declared at the start of the kernel: only
/// there does LLVM look for memory that can live in registers.
static LogicalResult lowerPrivateNew(KernelContext &kernel, NewOp op) {
  IRRewriter &builder = kernel.builder;
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
  builder.setInsertionPointToStart(&kernel.launch.getBody().front());
  Value buffer = memref::AllocaOp::create(builder, loc, own);
  if (op.getThreads() > 0 && failed(lowerParts(builder, op, buffer)))
    return failure();
  builder.setInsertionPoint(op);
  int64_t elements = own.getNumElements();
  if (op.getInitAttr() && elements > kMaxUnrolled) {
    initialize(builder, op, buffer, shape, /*threads=*/1,
               arith::ConstantIndexOp::create(builder, loc, 0));
  } else if (op.getInitAttr()) {
    Value value = buildNumber(builder, loc, op.getInitAttr());
    SmallVector<int64_t> strides = computeSuffixProduct(shape);
    for (int64_t position = 0; position < elements; ++position)
      memref::StoreOp::create(
          builder, loc, value, buffer,
          llvm::map_to_vector(
              mlir::delinearize(position, strides), [&](int64_t i) -> Value {
                return arith::ConstantIndexOp::create(builder, loc, i);
              }));
  }
  builder.replaceOp(op, buffer);
  return success();
}

LogicalResult mlir::tc::lowerNew(KernelContext &kernel, NewOp op) {
  auto type = cast<MemRefType>(op.getType());
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(type.getMemorySpace());
  if (!space)
    return op.emitOpError("expected workgroup, private or global memory in a "
                          "kernel; run tc-promote first");
  if (space.getValue() == gpu::AddressSpace::Private)
    return lowerPrivateNew(kernel, op);
  bool isShared = space.getValue() == gpu::AddressSpace::Workgroup;
  if (isShared && isOfClusters(kernel, op))
    return lowerClusterNew(kernel, op);
  IRRewriter &builder = kernel.builder;
  Location loc = op.getLoc();
  Team team = getTeam(kernel, op);
  AffineExpr thread = builder.getAffineDimExpr(0);
  Value number, member = kernel.threadNumber;
  if (team.count > 1) {
    number = expandIndex(builder, loc, thread.floorDiv(team.threads), member);
    member = expandIndex(builder, loc, thread % team.threads, member);
  }
  FailureOr<Value> buffer = isShared
                                ? reserve(kernel, op, type)
                                : buildGlobalBuffer(kernel, op, type, number);
  if (failed(buffer))
    return failure();
  if (isShared)
    buffer = viewBuffer(builder, op, type, *buffer, number);
  initialize(builder, op, *buffer, type.getShape(), team.threads, member);
  builder.replaceOp(op, *buffer);
  return success();
}
