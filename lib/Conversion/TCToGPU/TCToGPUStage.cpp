//===- TCToGPUStage.cpp - Copies into tiles of shared memory --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPUStage.h"
#include "Kernel/ExpandIndex.h"

#include "tc/Algebra/Exprs.h"
#include "tc/IR/LoopHints.h"
#include "tc/IR/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// Chunks
//===----------------------------------------------------------------------===//

static llvm::MaybeAlign getChunkAlignment(Type element, int64_t chunk) {
  return llvm::MaybeAlign(chunk * getBytes(element));
}

static SmallVector<Value> moveLast(OpBuilder &builder, Location loc,
                                   ValueRange index, int64_t by) {
  SmallVector<Value> moved(index);
  if (by > 0)
    moved.back() = expandIndex(builder, loc, builder.getAffineDimExpr(0) + by,
                               index.back());
  return moved;
}

/// The first of complex numbers is aligned to all of them, so that LLVM makes
/// one access of theirs.
static llvm::MaybeAlign getComplexAlignment(Type element, int64_t chunk,
                                            int64_t number) {
  return chunk == 1 ? llvm::MaybeAlign()
                    : getChunkAlignment(element, number == 0 ? chunk : 1);
}

/// `chunk` elements of `memref` from `index` on.
static SmallVector<Value> loadChunk(OpBuilder &builder, Location loc,
                                    Value memref, ValueRange index,
                                    int64_t chunk) {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (chunk > 1 && !isa<ComplexType>(element))
    return {vector::LoadOp::create(
        builder, loc, VectorType::get(chunk, element), memref, index,
        /*nontemporal=*/false, getChunkAlignment(element, chunk))};
  SmallVector<Value> values;
  for (int64_t number = 0; number < chunk; ++number)
    values.push_back(memref::LoadOp::create(
        builder, loc, memref, moveLast(builder, loc, index, number),
        /*nontemporal=*/false, getComplexAlignment(element, chunk, number)));
  return values;
}

void mlir::tc::storeChunk(OpBuilder &builder, Location loc, ValueRange values,
                          Value memref, ValueRange index) {
  if (auto type = dyn_cast<VectorType>(values.front().getType())) {
    vector::StoreOp::create(
        builder, loc, values.front(), memref, index, /*nontemporal=*/false,
        getChunkAlignment(type.getElementType(), type.getNumElements()));
    return;
  }
  int64_t chunk = values.size();
  for (auto [number, value] : llvm::enumerate(values))
    memref::StoreOp::create(
        builder, loc, value, memref, moveLast(builder, loc, index, number),
        /*nontemporal=*/false,
        getComplexAlignment(value.getType(), chunk, number));
}

SmallVector<Value> mlir::tc::buildPad(OpBuilder &builder, StageOp op,
                                      int64_t chunk) {
  Value value = buildNumber(builder, op.getLoc(), op.getPad());
  if (chunk == 1 || isa<ComplexType>(value.getType()))
    return SmallVector<Value>(chunk, value);
  auto type = VectorType::get(chunk, value.getType());
  return {vector::BroadcastOp::create(builder, op.getLoc(), type, value)};
}

/// Can cp.async move the chunks of `op`: numbers of 4, 8 or 16 bytes together,
/// out of a memref that the op for it takes, or complex numbers?
static bool fitsAsyncCopy(StageOp op) {
  Type element = cast<MemRefType>(op.getType()).getElementType();
  if (isa<ComplexType>(element))
    return llvm::is_contained({8, 16}, getBytes(element) * op.getChunk());
  if (!element.isIntOrFloat() ||
      !cast<MemRefType>(op.getSource().getType()).isLastDimUnitStride() ||
      !cast<MemRefType>(op.getType()).isLastDimUnitStride())
    return false;
  int64_t bits = element.getIntOrFloatBitWidth() * op.getChunk();
  return llvm::is_contained({32, 64, 128}, bits);
}

bool mlir::tc::areWords(StageOp op) {
  Type element = cast<MemRefType>(op.getType()).getElementType();
  return getBytes(element) * op.getChunk() >= 4;
}

//===----------------------------------------------------------------------===//
// Gaps
//===----------------------------------------------------------------------===//

namespace {
/// The buffer of a tile with gaps, of `count` elements. What is in a gap has an
/// index out of the tile along a dimension of `checked`.
struct Gaps {
  int64_t count;
  SmallVector<int64_t> strides;
  SmallVector<bool> checked;
};
} // namespace

/// Rows of elements narrower than a register may be read with what lies between
/// them, as LLVM reads three i16 as four; so gaps are filled, too. The type of
/// the tile says where they are. Nothing for tiles without gaps, where rows do
/// not follow one another, or where elements go together.
static std::optional<Gaps> getGaps(StageOp op) {
  auto type = cast<MemRefType>(op.getType());
  int64_t bytes = getBytes(type.getElementType());
  if (areWords(op))
    return std::nullopt;
  Gaps gaps;
  gaps.count = *countBufferBytes(type) / bytes;
  gaps.strides = type.getStridesAndOffset().first;
  if (gaps.count == type.getNumElements() || type.getRank() == 0 ||
      gaps.strides.back() != 1)
    return std::nullopt;
  int64_t room = gaps.count;
  for (auto [d, size] : llvm::enumerate(type.getShape())) {
    int64_t stride = gaps.strides[d];
    if (stride < 1 || (d > 0 && size * stride > room))
      return std::nullopt;
    gaps.checked.push_back(int64_t(llvm::divideCeil(room, stride)) > size);
    room = stride;
  }
  return gaps;
}

/// The index in a tile of these strides of the element at `position` of the
/// buffer below it; out of the tile where there is none.
static SmallVector<Value> buildGapIndex(OpBuilder &builder, Location loc,
                                        Value position,
                                        ArrayRef<int64_t> strides) {
  AffineExpr rest = builder.getAffineDimExpr(0);
  SmallVector<Value> index;
  for (int64_t stride : strides) {
    index.push_back(expandIndex(builder, loc, rest.floorDiv(stride), position));
    rest = rest % stride;
  }
  return index;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

SmallVector<int64_t> mlir::tc::getBlock(StageOp op) {
  SmallVector<int64_t> block(cast<MemRefType>(op.getType()).getRank(), 1);
  if (op.getChunk() > 1) {
    block.back() = op.getChunk();
    block[op.getRowsDim()] *= int64_t(op.getRows());
  }
  return block;
}

/// Blocks of a stage along each dimension, in the order in which threads take
/// them, the fastest last: where they are transposed, as they lie in the tile,
/// so that stores of neighbours go to different banks.
static SmallVector<int64_t> getBlocks(StageOp op) {
  SmallVector<int64_t> sizes(cast<MemRefType>(op.getType()).getShape());
  for (auto [size, own] : llvm::zip_equal(sizes, getBlock(op)))
    size /= own;
  if (op.getRows() > 1) {
    auto *along = sizes.begin() + op.getRowsDim();
    std::rotate(along, along + 1, sizes.end());
  }
  return sizes;
}

SmallVector<Value> mlir::tc::buildFirstElement(OpBuilder &builder, StageOp op,
                                               SmallVector<Value> block) {
  if (op.getRows() > 1)
    std::rotate(block.begin() + op.getRowsDim(), block.end() - 1, block.end());
  ArrayRef<int64_t> shape = cast<MemRefType>(op.getType()).getShape();
  for (auto [index, size, own] : llvm::zip_equal(block, shape, getBlock(op)))
    if (own > 1 && size > own)
      index = expandIndex(builder, op.getLoc(),
                          builder.getAffineDimExpr(0) * own, index);
  return block;
}

Value mlir::tc::buildInside(OpBuilder &builder, StageOp op, ValueRange index,
                            ArrayRef<bool> checked) {
  Location loc = op.getLoc();
  Value inside, source = op.getSource();
  for (auto [d, size] :
       llvm::enumerate(cast<MemRefType>(op.getType()).getShape())) {
    bool isWhole = cast<MemRefType>(source.getType()).getDimSize(d) == size;
    if (isWhole && (checked.empty() || !checked[d]))
      continue;
    Value extent = builder.createOrFold<memref::DimOp>(loc, source, d);
    inside =
        conjoin(builder, inside,
                arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                      index[d], extent));
  }
  return inside;
}

/// `chunk` elements of the source from `index` on where `inside`, null if
/// always, holds; else the fill value.
static SmallVector<Value> loadOrPad(OpBuilder &builder, StageOp op,
                                    ValueRange index, int64_t chunk,
                                    Value inside) {
  Location loc = op.getLoc();
  if (!inside)
    return loadChunk(builder, loc, op.getSource(), index, chunk);
  SmallVector<Value> pad = buildPad(builder, op, chunk);
  return scf::IfOp::create(
             builder, loc, inside,
             [&](OpBuilder &then, Location) {
               scf::YieldOp::create(
                   then, loc,
                   loadChunk(then, loc, op.getSource(), index, chunk));
             },
             [&](OpBuilder &otherwise, Location) {
               scf::YieldOp::create(otherwise, loc, pad);
             })
      .getResults();
}

/// The chunks of a block of the source, or the fill value where there is none,
/// or `condition`, null if always true, does not hold.
static SmallVector<Value> loadStaged(OpBuilder &builder, StageOp op,
                                     ValueRange index, Value condition = {}) {
  Location loc = op.getLoc();
  Value inside = conjoin(builder, condition, buildInside(builder, op, index));
  SmallVector<Value> chunks;
  for (int64_t row = 0, e = op.getRows(); row < e; ++row) {
    SmallVector<Value> own(index);
    if (row > 0)
      own[op.getRowsDim()] =
          expandIndex(builder, loc, builder.getAffineDimExpr(0) + row,
                      index[op.getRowsDim()]);
    llvm::append_range(chunks,
                       loadOrPad(builder, op, own, op.getChunk(), inside));
  }
  return chunks;
}

/// Stores a chunk, or vectors that follow one another along `along`, of stride
/// 1.
static void storeBlock(OpBuilder &builder, ArrayRef<Value> chunks,
                       unsigned along, Value buffer, ValueRange index) {
  Location loc = chunks.front().getLoc();
  if (chunks.size() == 1 || isa<ComplexType>(chunks.front().getType()))
    return storeChunk(builder, loc, chunks, buffer, index);
  auto order = llvm::to_vector(llvm::seq<unsigned>(0, index.size()));
  std::rotate(order.begin() + along, order.begin() + along + 1, order.end());
  Value transposed = memref::TransposeOp::create(
      builder, loc, buffer,
      AffineMapAttr::get(
          AffineMap::getPermutationMap(order, builder.getContext())));
  int64_t columns = cast<VectorType>(chunks.front().getType()).getNumElements();
  for (int64_t column = 0; column < columns; ++column) {
    SmallVector<Value> own(index);
    if (column > 0)
      own.back() = expandIndex(
          builder, loc, builder.getAffineDimExpr(0) + column, index.back());
    std::rotate(own.begin() + along, own.begin() + along + 1, own.end());
    auto elements = llvm::map_to_vector(chunks, [&](Value chunk) -> Value {
      return vector::ExtractOp::create(builder, loc, chunk, column);
    });
    auto type = VectorType::get(chunks.size(), elements.front().getType());
    Value value = vector::FromElementsOp::create(builder, loc, type, elements);
    storeChunk(builder, loc, value, transposed, own);
  }
}

/// Copies a tile element by element, and fills the gaps between its rows.
static void copyWithGaps(KernelContext &kernel, StageOp op, const Gaps &gaps,
                         Value tile) {
  OpBuilder &builder = kernel.builder;
  Location loc = op.getLoc();
  Value buffer = tile.getDefiningOp<memref::ReinterpretCastOp>().getSource();
  buildTeamLoop(builder, loc, gaps.count, kernel.countThreads(),
                kernel.threadNumber, [&](Value position) {
                  SmallVector<Value> index =
                      buildGapIndex(builder, loc, position, gaps.strides);
                  Value inside = buildInside(builder, op, index, gaps.checked);
                  SmallVector<Value> value =
                      loadOrPad(builder, op, index, /*chunk=*/1, inside);
                  storeChunk(builder, loc, value, buffer, position);
                });
}

/// Copies block by block, by `copy`, which gets the index of the first element.
static void copyInTurns(KernelContext &kernel, StageOp op,
                        function_ref<void(ValueRange index)> copy) {
  Location loc = op.getLoc();
  SmallVector<int64_t> sizes = getBlocks(op);
  buildTeamLoop(kernel.builder, loc, ShapedType::getNumElements(sizes),
                kernel.countThreads(), kernel.threadNumber,
                [&](Value position) {
                  copy(buildFirstElement(
                      kernel.builder, op,
                      buildTileIndex(kernel.builder, loc, position, sizes)));
                });
}

//===----------------------------------------------------------------------===//
// Copies that run ahead
//===----------------------------------------------------------------------===//

bool mlir::tc::isAsync(KernelContext &kernel, StageOp op) {
  return kernel.machine.hasAsyncCopies() && fitsAsyncCopy(op);
}

static CopyTeam getTeam(KernelContext &kernel, StageOp op) {
  int64_t bytes = getBytes(cast<MemRefType>(op.getType()).getElementType());
  return getCopyTeam(getBlocks(op), kernel.countThreads(),
                     op.getChunk() * bytes);
}

bool mlir::tc::hasFewRounds(KernelContext &kernel, StageOp op) {
  return getTeam(kernel, op).countRounds() <= kMostCopyRounds;
}

/// Where `number` is in a space of these sizes, the last one fastest; what is
/// beyond it is so along the first. Written as rests of rests, of which LLVM
/// knows that an offset does not overflow, so that copies share a pointer.
static SmallVector<Value> buildPlaces(KernelContext &kernel, Location loc,
                                      AffineExpr number,
                                      ArrayRef<int64_t> sizes) {
  SmallVector<Value> places;
  for (int64_t inner : computeSuffixProduct(sizes)) {
    places.push_back(expandIndex(kernel.builder, loc, number.floorDiv(inner),
                                 kernel.threadNumber));
    number = number % inner;
  }
  return places;
}

/// `round` of a team whose copies lie anyhow.
static RoundCopy buildNextCopy(KernelContext &kernel, Location loc,
                               const CopyTeam &team, int64_t round) {
  OpBuilder &builder = kernel.builder;
  int64_t first = round * team.threads;
  int64_t left = ShapedType::getNumElements(team.sizes) - first;
  Value works = left < team.threads
                    ? buildIsBelow(builder, loc, kernel.threadNumber, left)
                    : Value();
  AffineExpr number = builder.getAffineDimExpr(0) + first;
  return {buildPlaces(kernel, loc, number, team.sizes), works};
}

RoundCopy mlir::tc::buildRegularCopy(KernelContext &kernel, Location loc,
                                     const CopyTeam &team, int64_t round) {
  OpBuilder &builder = kernel.builder;
  RoundCopy copy;
  SmallVector<Value> places =
      buildPlaces(kernel, loc, builder.getAffineDimExpr(0), team.along);
  if (team.threads < kernel.countThreads())
    copy.works = buildIsBelow(builder, loc, kernel.threadNumber, team.threads);
  SmallVector<int64_t> rounds;
  for (size_t d = 0, e = places.size(); d < e; ++d)
    rounds.push_back(team.countRounds(d));
  for (auto [d, own] : llvm::enumerate(
           mlir::delinearize(round, computeSuffixProduct(rounds)))) {
    int64_t first = own * team.along[d], left = team.sizes[d] - first;
    if (left < team.along[d])
      copy.works = conjoin(builder, copy.works,
                           buildIsBelow(builder, loc, places[d], left));
    copy.index.push_back(expandIndex(
        builder, loc, builder.getAffineDimExpr(0) + first, places[d]));
  }
  return copy;
}

/// Calls `body` with each copy of this thread.
static void forEachRound(KernelContext &kernel, StageOp op,
                         function_ref<void(const RoundCopy &copy)> body) {
  CopyTeam team = getTeam(kernel, op);
  auto *build = team.isRegular() ? buildRegularCopy : buildNextCopy;
  for (int64_t round = 0, e = team.countRounds(); round < e; ++round) {
    RoundCopy copy = build(kernel, op.getLoc(), team, round);
    copy.index = buildFirstElement(kernel.builder, op, std::move(copy.index));
    body(copy);
  }
}

void mlir::tc::startCopies(KernelContext &kernel, StageOp op, Value buffer) {
  OpBuilder &builder = kernel.builder;
  auto copy = [&](ValueRange index) {
    if (isAsync(kernel, op))
      return copyChunkAsync(kernel, op, buffer, index);
    storeBlock(builder, loadStaged(builder, op, index), op.getRowsDim(), buffer,
               index);
  };
  if (isAsync(kernel, op) &&
      copyRegularly(kernel, op, buffer, getTeam(kernel, op)))
    return;
  if (!hasFewRounds(kernel, op))
    return copyInTurns(kernel, op, copy);
  forEachRound(kernel, op, [&](const RoundCopy &round) {
    OpBuilder::InsertionGuard guard(builder);
    enter(builder, round.works);
    copy(round.index);
  });
}

SmallVector<LoadedBlock> mlir::tc::startLoads(KernelContext &kernel, StageOp op,
                                              Value buffer, Value condition) {
  SmallVector<LoadedBlock> loaded;
  forEachRound(kernel, op, [&](const RoundCopy &round) {
    SmallVector<Value> chunks =
        loadStaged(kernel.builder, op, round.index,
                   conjoin(kernel.builder, condition, round.works));
    loaded.push_back(
        {std::move(chunks), op.getRowsDim(), buffer, round.index, round.works});
  });
  return loaded;
}

void mlir::tc::storeLoaded(OpBuilder &builder, ArrayRef<LoadedBlock> loaded) {
  for (const LoadedBlock &block : loaded) {
    OpBuilder::InsertionGuard guard(builder);
    enter(builder, block.works);
    storeBlock(builder, block.chunks, block.along, block.buffer, block.index);
  }
}

//===----------------------------------------------------------------------===//
// Copies that are waited for
//===----------------------------------------------------------------------===//

LogicalResult mlir::tc::lowerStage(KernelContext &kernel, StageOp op) {
  IRRewriter &builder = kernel.builder;
  auto type = cast<MemRefType>(op.getType());
  FailureOr<Value> memory = reserve(kernel, op, type);
  if (failed(memory))
    return failure();
  Value buffer = viewBuffer(builder, op, type, *memory);
  if (auto gaps = getGaps(op))
    copyWithGaps(kernel, op, *gaps, buffer);
  else if (hasFewRounds(kernel, op))
    storeLoaded(builder, startLoads(kernel, op, buffer, /*condition=*/{}));
  else
    copyInTurns(kernel, op, [&](ValueRange index) {
      storeBlock(builder, loadStaged(builder, op, index), op.getRowsDim(),
                 buffer, index);
    });
  builder.replaceOp(op, buffer);
  return success();
}
