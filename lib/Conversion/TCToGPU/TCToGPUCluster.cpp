//===- TCToGPUCluster.cpp - Clusters of blocks ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iterations of a tc.par cluster are blocks of one cluster. A buffer round
// them, in shared memory, is all of theirs: its first dimension numbers the
// blocks, and each has the row of its number. Any block reaches any row, by the
// address that the same row has in its own memory (`mapa`). A view is one of
// the buffer as if all of it lay in one memory: the position of an element
// there says which row has it, and where.
//
//===----------------------------------------------------------------------===//

#include "Kernel/ExpandIndex.h"
#include "TCToGPU/TCToGPU.h"

#include "tc/Algebra/Strategies.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Nests
//===----------------------------------------------------------------------===//

LogicalResult mlir::tc::measureCluster(KernelContext &kernel, ParOp op) {
  if (op->getParentOfType<ParOp>() != kernel.grid)
    return op.emitOpError("expected tc.par cluster directly in a tc.par grid");
  FailureOr<Mapping> mapping = getMapping(op);
  if (failed(mapping))
    return failure();
  auto extents = getStaticExtents(*mapping->axes());
  if (!extents)
    return op.emitOpError("expected a static number of blocks of a cluster, "
                          "got a dynamic one");
  for (auto [size, extent] : llvm::zip(kernel.clusterSize, *extents))
    size = std::max(size, extent);
  auto [x, y, z] = kernel.clusterSize;
  int64_t most = LaunchLimits().clusterBlocks;
  if (std::max({x, y, z}) > most || x * y * z > most)
    return op.emitOpError("expected at most ")
           << most << " blocks in a cluster, got " << x << " x " << y << " x "
           << z << " for all tc.par cluster together";
  return success();
}

LogicalResult mlir::tc::lowerBlocks(KernelContext &kernel, ParOp op) {
  FailureOr<Mapping> blocks = getMapping(op);
  if (failed(blocks))
    return failure();
  OpBuilder &builder = kernel.builder;
  Location loc = op.getLoc();
  SmallVector<Value> coordinates;
  for (auto dim : {gpu::Dimension::x, gpu::Dimension::y, gpu::Dimension::z})
    coordinates.push_back(gpu::ClusterBlockIdOp::create(builder, loc, dim));
  // A cluster larger than this nest has blocks without work in it. All threads
  // of a block decide alike, so its barriers inside are safe.
  Value works = buildNonEmpty(builder, op);
  for (auto [coordinate, size, extent] : llvm::zip(
           coordinates, kernel.clusterSize, *getStaticExtents(*blocks->axes())))
    if (extent != size)
      works = conjoin(builder, works,
                      buildIsBelow(builder, loc, coordinate, extent));
  enter(builder, works);
  Axes block = {builder.getAffineDimExpr(0), builder.getAffineDimExpr(1),
                builder.getAffineDimExpr(2)};
  return lowerNest(kernel, op, Recovery(*blocks, blocks->threadAt(block)),
                   coordinates, op->getOperands());
}

void mlir::tc::buildClusterBarrier(OpBuilder &builder, Location loc) {
  NVVM::ClusterArriveOp::create(builder, loc,
                                /*aligned=*/builder.getUnitAttr());
  NVVM::ClusterWaitOp::create(builder, loc, /*aligned=*/builder.getUnitAttr());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult mlir::tc::lowerClusterNew(KernelContext &kernel, NewOp op) {
  auto type = cast<MemRefType>(op.getType());
  auto [x, y, z] = kernel.clusterSize;
  int64_t blocks = x * y * z;
  if (type.getRank() == 0 || type.getShape()[0] != blocks ||
      !type.getLayout().isIdentity() || op.getThreads() != 0)
    return op.emitOpError("expected the first dimension of a buffer of a "
                          "cluster in shared memory to number its ")
           << blocks << " blocks, each of which has a row, got " << type
           << "; a buffer of each block belongs into the tc.par cluster";
  if (Operation *user = findUnplacedUser(op.getResult()))
    return user->emitOpError("expected a buffer of a cluster in shared memory "
                             "to be used by memref.load, memref.store, "
                             "memref.atomic_rmw and tc.ptx alone");
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = 1;
  auto own =
      MemRefType::get(shape, type.getElementType(), MemRefLayoutAttrInterface(),
                      type.getMemorySpace());
  FailureOr<Value> memory = reserve(kernel, op, own);
  if (failed(memory))
    return failure();
  IRRewriter &builder = kernel.builder;
  Value row = viewBuffer(builder, op, own, *memory);
  initialize(builder, op, row, shape, kernel.countThreads(),
             kernel.threadNumber);
  Value all = memref::ReinterpretCastOp::create(
      builder, op.getLoc(), type, row, /*offset=*/0, type.getShape(),
      type.getStridesAndOffset().first);
  kernel.clusterRows[all] = row;
  builder.replaceOp(op, all);
  return success();
}

/// The buffer of a cluster that `memref` is, or is a view of; null of others.
static Value findClusterBuffer(KernelContext &kernel, Value memref) {
  while (memref && !kernel.clusterRows.contains(memref)) {
    auto view = memref.getDefiningOp<ViewLikeOpInterface>();
    memref = view ? view.getViewSource() : Value();
  }
  return memref;
}

/// The buffer that a load, a store or an atomic update is of.
static Value findAccessed(Operation *op) {
  return TypeSwitch<Operation *, Value>(op)
      .Case<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp>(
          [](auto access) { return access.getMemref(); })
      .Default(Value());
}

bool mlir::tc::isOfCluster(KernelContext &kernel, Operation *op) {
  return bool(findClusterBuffer(kernel, findAccessed(op)));
}

namespace {
/// Where an element of a buffer of a cluster is.
struct ClusterPlace {
  Value block; ///< whose row has it
  Value bytes; ///< from the begin of the row
};
} // namespace

/// The element at `index` of a buffer of `type`.
static ClusterPlace placeElement(OpBuilder &builder, Location loc,
                                 MemRefType type, ValueRange index) {
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  int64_t bytes = getBytes(type.getElementType());
  AffineExpr offset = builder.getAffineConstantExpr(0);
  for (size_t d = 1; d < index.size(); ++d)
    offset = offset + builder.getAffineDimExpr(d - 1) * (strides[d] * bytes);
  return {index.front(), expandIndex(builder, loc, offset, index.drop_front())};
}

/// The element at `index`, of the first one if that is empty, of `view`, a view
/// of a buffer of `type`.
static ClusterPlace placeViewed(OpBuilder &builder, Location loc,
                                MemRefType type, Value view, ValueRange index) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, view);
  SmallVector<OpFoldResult> parts = {metadata.getConstifiedMixedOffset()};
  AffineExpr position = builder.getAffineSymbolExpr(0);
  for (auto [i, stride] :
       llvm::zip(index, metadata.getConstifiedMixedStrides())) {
    position = position + builder.getAffineSymbolExpr(parts.size()) *
                              builder.getAffineSymbolExpr(parts.size() + 1);
    parts.append({OpFoldResult(i), stride});
  }
  int64_t row = type.getStridesAndOffset().first.front();
  int64_t bytes = getBytes(type.getElementType());
  auto build = [&](AffineExpr expr) {
    return getValueOrCreateConstantIndexOp(
        builder, loc,
        affine::makeComposedFoldedAffineApply(builder, loc, expr, parts));
  };
  return {build(position.floorDiv(row)), build(position % row * bytes)};
}

/// A pointer to a place of memory of any block of the cluster, of which this
/// block has `row`.
static Value buildClusterPointer(OpBuilder &builder, Location loc, Value row,
                                 ClusterPlace place) {
  auto metadata = memref::ExtractStridedMetadataOp::create(builder, loc, row);
  Value base = memref::ExtractAlignedPointerAsIndexOp::create(
      builder, loc, metadata.getBaseBuffer());
  Value address = arith::AddIOp::create(builder, loc, base, place.bytes);
  auto toInteger = [&](Value value, unsigned width) -> Value {
    return arith::IndexCastOp::create(builder, loc,
                                      builder.getIntegerType(width), value);
  };
  auto getPointer = [&](NVVM::NVVMMemorySpace space) {
    return LLVM::LLVMPointerType::get(builder.getContext(), unsigned(space));
  };
  Value own = LLVM::IntToPtrOp::create(
      builder, loc, getPointer(NVVM::NVVMMemorySpace::Shared),
      toInteger(address, 64));
  return NVVM::MapaOp::create(builder, loc,
                              getPointer(NVVM::NVVMMemorySpace::SharedCluster),
                              own, toInteger(place.block, 32));
}

/// Is `row` of a buffer surely the one that this block has?
static bool isOwnRow(KernelContext &kernel, Value row) {
  auto number = row.getDefiningOp<gpu::ClusterBlockIdOp>();
  return number && number.getDimension() == gpu::Dimension::x &&
         kernel.clusterSize[1] == 1 && kernel.clusterSize[2] == 1;
}

/// What an update is in LLVM's words.
static std::optional<LLVM::AtomicBinOp> findAtomic(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  using Op = LLVM::AtomicBinOp;
  static constexpr std::pair<Kind, Op> known[] = {
      {Kind::addf, Op::fadd}, {Kind::addi, Op::add},  {Kind::assign, Op::xchg},
      {Kind::maxs, Op::max},  {Kind::maxu, Op::umax}, {Kind::mins, Op::min},
      {Kind::minu, Op::umin}, {Kind::andi, Op::_and}, {Kind::ori, Op::_or},
      {Kind::xori, Op::_xor}};
  for (auto [ours, op] : known)
    if (ours == kind)
      return op;
  return std::nullopt;
}

LogicalResult mlir::tc::lowerClusterAccess(KernelContext &kernel,
                                           Operation *op) {
  IRRewriter &builder = kernel.builder;
  Location loc = op->getLoc();
  Value memref = findAccessed(op), buffer = findClusterBuffer(kernel, memref);
  Value row = kernel.clusterRows.lookup(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  Type element = type.getElementType();
  if (!element.isIntOrFloat() || getBytes(element) == 0)
    return op->emitOpError("expected a buffer of a cluster to hold numbers, "
                           "got ")
           << element;
  auto buildAddress = [&](ValueRange index) {
    ClusterPlace place = memref == buffer
                             ? placeElement(builder, loc, type, index)
                             : placeViewed(builder, loc, type, memref, index);
    return buildClusterPointer(builder, loc, row, place);
  };
  // The place in the own row; empty in another one.
  auto inRow = [&](ValueRange indices) {
    SmallVector<Value> index(indices);
    if (memref != buffer || !isOwnRow(kernel, index.front()))
      return SmallVector<Value>();
    index.front() = arith::ConstantIndexOp::create(builder, loc, 0);
    return index;
  };
  if (auto load = dyn_cast<memref::LoadOp>(op)) {
    if (SmallVector<Value> index = inRow(load.getIndices()); !index.empty())
      builder.replaceOpWithNewOp<memref::LoadOp>(op, row, index);
    else
      builder.replaceOpWithNewOp<LLVM::LoadOp>(op, element,
                                               buildAddress(load.getIndices()));
    return success();
  }
  if (auto store = dyn_cast<memref::StoreOp>(op)) {
    if (SmallVector<Value> index = inRow(store.getIndices()); !index.empty())
      builder.replaceOpWithNewOp<memref::StoreOp>(op, store.getValue(), row,
                                                  index);
    else
      builder.replaceOpWithNewOp<LLVM::StoreOp>(
          op, store.getValue(), buildAddress(store.getIndices()));
    return success();
  }
  auto update = cast<memref::AtomicRMWOp>(op);
  std::optional<LLVM::AtomicBinOp> kind = findAtomic(update.getKind());
  if (!kind)
    return op->emitOpError("expected an update that a GPU has of shared memory "
                           "of another block, got ")
           << arith::stringifyAtomicRMWKind(update.getKind());
  builder.replaceOpWithNewOp<LLVM::AtomicRMWOp>(
      op, *kind, buildAddress(update.getIndices()), update.getValue(),
      LLVM::AtomicOrdering::monotonic);
  return success();
}

Value mlir::tc::buildClusterAddress(KernelContext &kernel, Location loc,
                                    Value memref) {
  Value buffer = findClusterBuffer(kernel, memref);
  if (!buffer)
    return {};
  OpBuilder &builder = kernel.builder;
  ClusterPlace first =
      placeViewed(builder, loc, cast<MemRefType>(buffer.getType()), memref,
                  /*index=*/{});
  Value pointer = buildClusterPointer(builder, loc,
                                      kernel.clusterRows.lookup(buffer), first);
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI64Type(), pointer);
}
