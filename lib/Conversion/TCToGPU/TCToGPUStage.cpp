//===- TCToGPUStage.cpp - Copies into tiles of shared memory --------------===//
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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

static llvm::MaybeAlign getChunkAlignment(Type element, int64_t chunk) {
  return llvm::MaybeAlign(chunk * (element.getIntOrFloatBitWidth() / 8));
}

/// `chunk` elements of `memref` from `index` on.
static Value loadChunk(OpBuilder &builder, Location loc, Value memref,
                       ValueRange index, int64_t chunk) {
  if (chunk == 1)
    return memref::LoadOp::create(builder, loc, memref, index);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(builder, loc, VectorType::get(chunk, element),
                                memref, index, /*nontemporal=*/false,
                                getChunkAlignment(element, chunk));
}

static void storeChunk(OpBuilder &builder, Location loc, Value value,
                       Value memref, ValueRange index, int64_t chunk) {
  if (chunk == 1) {
    memref::StoreOp::create(builder, loc, value, memref, index);
    return;
  }
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  vector::StoreOp::create(builder, loc, value, memref, index,
                          /*nontemporal=*/false,
                          getChunkAlignment(element, chunk));
}

/// The fill value, as often as a chunk has elements.
static Value buildPad(OpBuilder &builder, Location loc, StageOp op) {
  Value value = buildNumber(builder, loc, op.getPad());
  if (op.getChunk() == 1)
    return value;
  auto type = VectorType::get(int64_t(op.getChunk()), value.getType());
  return vector::BroadcastOp::create(builder, loc, type, value);
}

/// Can cp.async move the chunks of `op`: numbers of 4, 8 or 16 bytes together,
/// out of a memref that the op for it takes?
static bool fitsAsyncCopy(StageOp op, Value source) {
  Type element = cast<MemRefType>(op.getType()).getElementType();
  if (!element.isIntOrFloat() ||
      !cast<MemRefType>(source.getType()).isLastDimUnitStride() ||
      !cast<MemRefType>(op.getType()).isLastDimUnitStride())
    return false;
  int64_t bits = element.getIntOrFloatBitWidth() * op.getChunk();
  return llvm::is_contained({32, 64, 128}, bits);
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

namespace {
/// A tile with gaps: the buffer below it, of `count` elements. What is in a gap
/// has an index out of the tile along a dimension of `checked`.
struct GappedTile {
  Value buffer;
  int64_t count;
  SmallVector<int64_t> strides;
  SmallVector<bool> checked;
};
} // namespace

/// Rows of elements narrower than a register may be read with what lies between
/// them, as LLVM reads three i16 as four; so gaps are filled, too. Nothing for
/// tiles without gaps, or where rows do not follow one another.
static std::optional<GappedTile> findGaps(Value tile) {
  auto type = cast<MemRefType>(tile.getType());
  auto view = tile.getDefiningOp<memref::ReinterpretCastOp>();
  if (!view || getBytes(type.getElementType()) >= 4)
    return std::nullopt;
  GappedTile gapped;
  gapped.buffer = view.getSource();
  gapped.count = cast<MemRefType>(gapped.buffer.getType()).getNumElements();
  gapped.strides = type.getStridesAndOffset().first;
  if (gapped.count == type.getNumElements() || type.getRank() == 0 ||
      gapped.strides.back() != 1)
    return std::nullopt;
  int64_t room = gapped.count;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    int64_t stride = gapped.strides[d];
    if (stride < 1 || (d > 0 && size * stride > room))
      return std::nullopt;
    gapped.checked.push_back(int64_t(llvm::divideCeil(room, stride)) > size);
    room = stride;
  }
  return gapped;
}

SmallVector<Value> KernelBuilder::buildGapIndex(Location loc, Value position,
                                                ArrayRef<int64_t> strides) {
  AffineExpr rest = builder.getAffineDimExpr(0);
  SmallVector<Value> index;
  for (int64_t stride : strides) {
    index.push_back(expandIndex(builder, loc, rest.floorDiv(stride), position));
    rest = rest % stride;
  }
  return index;
}

Value KernelBuilder::buildInside(Location loc, Value source,
                                 ArrayRef<int64_t> shape, ValueRange index,
                                 ArrayRef<bool> checked) {
  Value inside;
  for (auto [d, size] : llvm::enumerate(shape)) {
    bool isWhole = cast<MemRefType>(source.getType()).getDimSize(d) == size;
    if (isWhole && (checked.empty() || !checked[d]))
      continue;
    Value extent = builder.createOrFold<memref::DimOp>(loc, source, d);
    inside = conjoin(inside, arith::CmpIOp::create(builder, loc,
                                                   arith::CmpIPredicate::slt,
                                                   index[d], extent));
  }
  return inside;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

SmallVector<Value> KernelBuilder::buildRoundIndex(Location loc,
                                                  ArrayRef<int64_t> sizes,
                                                  int64_t round) {
  int64_t threads = countThreads(), inner = 1;
  // Innermost dimensions that a round covers whole are the same in each.
  size_t outer = sizes.size();
  while (outer > 0 && threads % (inner * sizes[outer - 1]) == 0)
    inner *= sizes[--outer];
  AffineExpr thread = builder.getAffineDimExpr(0);
  SmallVector<Value> index;
  auto append = [&](AffineExpr number, ArrayRef<int64_t> extents) {
    for (AffineExpr expr : mlir::tc::delinearize(
             number, getAffineConstantExprs(extents, builder.getContext())))
      index.push_back(expandIndex(builder, loc, expr, threadNumber));
  };
  append(thread.floorDiv(inner) + round * (threads / inner),
         sizes.take_front(outer));
  append(outer == 0 ? thread : thread % inner, sizes.drop_front(outer));
  return index;
}

void KernelBuilder::copyChunkAsync(StageOp op, Value buffer, ValueRange index) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  int64_t chunk = op.getChunk();
  Value source = mapping.lookupOrDefault(op.getSource());
  auto copy = [&](OpBuilder &at) {
    nvgpu::DeviceAsyncCopyOp::create(
        at, loc, nvgpu::DeviceAsyncTokenType::get(at.getContext()), buffer,
        index, source, index, at.getIndexAttr(chunk), /*srcElements=*/Value(),
        getBytes(type.getElementType()) * chunk == 16 ? at.getUnitAttr()
                                                      : UnitAttr());
  };
  Value inside = buildInside(loc, source, type.getShape(), index, {});
  if (!inside)
    return copy(builder);
  Value pad = buildPad(builder, loc, op);
  scf::IfOp::create(
      builder, loc, inside,
      [&](OpBuilder &then, Location) {
        copy(then);
        scf::YieldOp::create(then, loc);
      },
      [&](OpBuilder &otherwise, Location) {
        storeChunk(otherwise, loc, pad, buffer, index, chunk);
        scf::YieldOp::create(otherwise, loc);
      });
}

Value KernelBuilder::loadStaged(StageOp op, ValueRange index, Value condition) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(op.getType());
  Value source = mapping.lookupOrDefault(op.getSource());
  Value inside =
      conjoin(condition, buildInside(loc, source, type.getShape(), index, {}));
  auto load = [&](OpBuilder &at) {
    return loadChunk(at, loc, source, index, op.getChunk());
  };
  return inside ? loadOrPad(loc, inside, buildPad(builder, loc, op), load)
                : load(builder);
}

Value KernelBuilder::loadOrPad(Location loc, Value inside, Value pad,
                               function_ref<Value(OpBuilder &)> load) {
  return scf::IfOp::create(
             builder, loc, inside,
             [&](OpBuilder &then, Location) {
               scf::YieldOp::create(then, loc, load(then));
             },
             [&](OpBuilder &otherwise, Location) {
               scf::YieldOp::create(otherwise, loc, pad);
             })
      .getResult(0);
}

/// Copies a tile element by element, and fills the gaps between its rows.
void KernelBuilder::copyWithGaps(StageOp op, Value buffer) {
  Location loc = op.getLoc();
  GappedTile gaps = *findGaps(buffer);
  Value source = mapping.lookupOrDefault(op.getSource());
  ArrayRef<int64_t> shape = cast<MemRefType>(op.getType()).getShape();
  buildCooperativeLoop(loc, gaps.count, [&](Value position) {
    SmallVector<Value> index = buildGapIndex(loc, position, gaps.strides);
    Value inside = buildInside(loc, source, shape, index, gaps.checked);
    auto load = [&](OpBuilder &at) -> Value {
      return memref::LoadOp::create(at, loc, source, index);
    };
    Value value = inside
                      ? loadOrPad(loc, inside,
                                  buildNumber(builder, loc, op.getPad()), load)
                      : load(builder);
    memref::StoreOp::create(builder, loc, value, gaps.buffer, position);
  });
}

LogicalResult KernelBuilder::emitStage(StageOp op) {
  FailureOr<Value> buffer = buildStageBuffer(op, /*number=*/Value());
  if (failed(buffer))
    return failure();
  if (findGaps(*buffer)) {
    copyWithGaps(op, *buffer);
    return success();
  }
  SmallVector<int64_t> sizes = getChunks(op);
  buildCooperativeLoop(
      op.getLoc(), ShapedType::getNumElements(sizes), [&](Value position) {
        SmallVector<Value> index = buildTileIndex(op.getLoc(), position, sizes);
        Value value = loadStaged(op, index, /*condition=*/Value());
        storeChunk(builder, op.getLoc(), value, *buffer, index, op.getChunk());
      });
  return success();
}

SmallVector<int64_t> KernelBuilder::getChunks(StageOp op) {
  SmallVector<int64_t> sizes(cast<MemRefType>(op.getType()).getShape());
  if (op.getChunk() > 1)
    sizes.back() = 1;
  return sizes;
}

FailureOr<Value> KernelBuilder::buildStageBuffer(StageOp op, Value number) {
  auto type = cast<MemRefType>(op.getType());
  if (!gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type))
    return op.emitOpError("expected a result in workgroup memory, got ")
           << type;
  FailureOr<Value> buffer = buildWorkgroupBuffer(op, type, number);
  if (succeeded(buffer))
    mapping.map(op.getResult(), *buffer);
  return buffer;
}

bool KernelBuilder::isAsync(StageOp op) {
  return asyncCopies &&
         fitsAsyncCopy(op, mapping.lookupOrDefault(op.getSource()));
}

void KernelBuilder::forEachRound(
    StageOp op, function_ref<void(ValueRange index, Value works)> body) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = getChunks(op);
  int64_t count = ShapedType::getNumElements(sizes), threads = countThreads();
  for (int64_t round = 0; round * threads < count; ++round) {
    int64_t left = count - round * threads;
    Value works =
        left < threads ? buildIsBelow(loc, threadNumber, left) : Value();
    body(buildRoundIndex(loc, sizes, round), works);
  }
}

bool KernelBuilder::hasFewRounds(StageOp op) {
  int64_t count = ShapedType::getNumElements(getChunks(op));
  return llvm::divideCeil(count, countThreads()) <= kMostCopyRounds;
}

void KernelBuilder::startCopies(StageOp op, Value buffer) {
  Location loc = op.getLoc();
  auto copy = [&](ValueRange index) {
    if (isAsync(op))
      return copyChunkAsync(op, buffer, index);
    Value value = loadStaged(op, index, /*condition=*/Value());
    storeChunk(builder, loc, value, buffer, index, op.getChunk());
  };
  SmallVector<int64_t> sizes = getChunks(op);
  if (!hasFewRounds(op))
    return buildCooperativeLoop(
        loc, ShapedType::getNumElements(sizes),
        [&](Value position) { copy(buildTileIndex(loc, position, sizes)); });
  forEachRound(op, [&](ValueRange index, Value works) {
    OpBuilder::InsertionGuard guard(builder);
    enter(works);
    copy(index);
  });
}

void KernelBuilder::startLoads(StageOp op, Value buffer, Value condition) {
  forEachRound(op, [&](ValueRange index, Value works) {
    Value value = loadStaged(op, index, conjoin(condition, works));
    loaded.push_back({op, value, buffer, SmallVector<Value>(index), works});
  });
}

void KernelBuilder::storeLoaded() {
  for (LoadedChunk &chunk : loaded) {
    OpBuilder::InsertionGuard guard(builder);
    enter(chunk.works);
    storeChunk(builder, chunk.stage.getLoc(), chunk.value, chunk.buffer,
               chunk.index, chunk.stage.getChunk());
  }
  loaded.clear();
}
