//===- Views.cpp - tc.view, tc.new, tc.stage ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/IR/TC.h"

#include "tc/Algebra/Lmad.h"
#include "tc/IR/Scalars.h"
#include "tc/Target/Limits.h"

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::tc;

//===----------------------------------------------------------------------===//
// tc.view
//===----------------------------------------------------------------------===//

void ViewOp::build(OpBuilder &builder, OperationState &state, Value source,
                   OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
                   ArrayRef<OpFoldResult> strides) {
  SmallVector<Value> dynamics;
  SmallVector<int64_t> staticOffset, staticSizes, staticStrides;
  dispatchIndexOpFoldResult(offset, dynamics, staticOffset);
  dispatchIndexOpFoldResults(sizes, dynamics, staticSizes);
  dispatchIndexOpFoldResults(strides, dynamics, staticStrides);
  auto lmad = LmadAttr::get(builder.getContext(), staticOffset.front(),
                            staticSizes, staticStrides);
  build(builder, state, lmad.getViewType(cast<MemRefType>(source.getType())),
        source, dynamics, lmad);
}

/// The offset, the sizes and the strides, in the order of the operands.
static SmallVector<OpFoldResult> getMixedParts(ViewOp op) {
  SmallVector<int64_t> parts = {op.getLmad().getOffset()};
  llvm::append_range(parts, op.getLmad().getSizes());
  llvm::append_range(parts, op.getLmad().getStrides());
  return getMixedValues(parts, op.getDynamics(), op.getContext());
}

OpFoldResult ViewOp::getMixedOffset() { return getMixedParts(*this).front(); }

SmallVector<OpFoldResult> ViewOp::getMixedSizes() {
  SmallVector<OpFoldResult> parts = getMixedParts(*this);
  return llvm::to_vector(ArrayRef(parts).slice(1, getLmad().getRank()));
}

SmallVector<OpFoldResult> ViewOp::getMixedStrides() {
  SmallVector<OpFoldResult> parts = getMixedParts(*this);
  return llvm::to_vector(ArrayRef(parts).take_back(getLmad().getRank()));
}

Value mlir::tc::findBuffer(Value value) {
  auto memref = dyn_cast<MemrefValue>(value);
  return memref ? Value(memref::skipViewLikeOps(memref)) : value;
}

Operation *mlir::tc::findUnplacedUser(Value buffer) {
  for (Operation *user : buffer.getUsers()) {
    if (isa<memref::LoadOp, memref::StoreOp, memref::AtomicRMWOp, PtxOp>(user))
      continue;
    Operation *found = user;
    if (isa<ViewLikeOpInterface>(user) && user->getNumResults() == 1)
      found = findUnplacedUser(user->getResult(0));
    if (found)
      return found;
  }
  return nullptr;
}

Value mlir::tc::skipAssumptions(Value value) {
  while (auto assume = value.getDefiningOp<memref::AssumeAlignmentOp>())
    value = assume.getMemref();
  return value;
}

bool mlir::tc::mayTouch(Operation *op, bool alsoReads,
                        function_ref<bool(Value)> isAlias) {
  if (isMemoryEffectFree(op))
    return false;
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](MemoryEffects::EffectInstance &effect) {
    if (isa<MemoryEffects::Allocate>(effect.getEffect()) ||
        (!alsoReads && isa<MemoryEffects::Read>(effect.getEffect())))
      return false;
    Value memref = effect.getValue();
    return !memref || isAlias(memref);
  });
}

Value ViewOp::getViewSource() { return getSource(); }

OpFoldResult ViewOp::fold(FoldAdaptor) {
  LmadAttr lmad = getLmad();
  auto source = cast<MemRefType>(getSource().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (getType() == source && lmad.getNumDynamic() == 0 &&
      succeeded(source.getStridesAndOffset(strides, offset)) &&
      lmad == LmadAttr::get(getContext(), 0, source.getShape(), strides))
    return getSource();
  return {};
}

/// The elements that a strided access reaches; nothing when it is not static,
/// when it reaches none, and when one past the last needs more than 64 bits.
static std::optional<Footprint> findFootprint(int64_t offset,
                                              ArrayRef<int64_t> sizes,
                                              ArrayRef<int64_t> strides) {
  if (ShapedType::isDynamic(offset) ||
      llvm::any_of(sizes, ShapedType::isDynamic) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  std::optional<Footprint> reached = footprint(Lmad(offset, sizes, strides));
  return reached && reached->max != INT64_MAX ? reached : std::nullopt;
}

LogicalResult ViewOp::verify() {
  LmadAttr lmad = getLmad();
  if (getDynamics().size() != lmad.getNumDynamic()) // view_dynamics
    return emitOpError("expected one operand for each '?' of the LMAD (")
           << lmad.getNumDynamic() << "), got " << getDynamics().size();
  auto source = cast<MemRefType>(getSource().getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(source.getStridesAndOffset(strides, offset))) // view_strided
    return emitOpError("expected a source with a strided layout, got ")
           << source;
  MemRefType expected = lmad.getViewType(source);
  if (getType() != expected) // view_type
    return emitOpError("expected the result to be ")
           << expected << ", got " << getType();
  // The buffer below a memref stands for all that was allocated.
  if (getSource().getDefiningOp<memref::ExtractStridedMetadataOp>())
    return success();
  auto inside =
      findFootprint(lmad.getOffset(), lmad.getSizes(), lmad.getStrides());
  // A source without elements does not say where its buffer ends: what does not
  // vary with an empty iterator is a view of it all the same, and never read.
  auto outside = findFootprint(0, source.getShape(), strides);
  if (inside && outside &&
      (inside->min < outside->min || inside->max > outside->max))
    return emitOpError("expected the view to stay in elements [") // view_bounds
           << outside->min << ", " << outside->max + 1
           << ") of its source, got [" << inside->min << ", " << inside->max + 1
           << ")";
  return success();
}

namespace {
/// memref.dim of a view is a size that the view was given.
struct FoldDimOfView : OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto view = op.getSource().getDefiningOp<ViewOp>();
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!view || !dim || *dim < 0 ||
        *dim >= cast<MemRefType>(view.getType()).getRank())
      return failure();
    rewriter.replaceOp(
        op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(),
                                            view.getMixedSizes()[*dim]));
    return success();
  }
};
/// The size of a dimension that there is not may be anything. Patterns of MLIR
/// look it up, so this one comes before them.
struct FoldDimOfNone : OpRewritePattern<memref::DimOp> {
  explicit FoldDimOfNone(MLIRContext *context)
      : OpRewritePattern(context, /*benefit=*/10) {}

  LogicalResult matchAndRewrite(memref::DimOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<MemRefType>(op.getSource().getType());
    std::optional<int64_t> dim = op.getConstantIndex();
    if (!type || !dim || (*dim >= 0 && *dim < type.getRank()))
      return failure();
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(op, 0);
    return success();
  }
};
} // namespace

void TCDialect::getCanonicalizationPatterns(RewritePatternSet &results) const {
  results.add<FoldDimOfNone, FoldDimOfView>(getContext());
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

std::optional<int64_t> mlir::tc::countSpan(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return std::nullopt;
  std::optional<int64_t> elements = 1;
  for (auto [size, stride] : llvm::zip_equal(type.getShape(), strides))
    if (elements)
      elements = llvm::checkedMulAdd<int64_t>(std::max<int64_t>(size - 1, 0),
                                              stride, *elements);
  return elements;
}

std::optional<int64_t> mlir::tc::countBufferBytes(MemRefType type) {
  std::optional<int64_t> elements = countSpan(type);
  // LLVM may read a tail of three elements as four.
  constexpr int64_t unit = kSharedAlignment;
  std::optional<int64_t> bytes =
      elements ? llvm::checkedMulAdd<int64_t>(
                     *elements, getBytes(type.getElementType()), unit - 1)
               : std::nullopt;
  return bytes ? std::optional(*bytes / unit * unit) : std::nullopt;
}

/// Slots are numbered from 0.
static LogicalResult verifySlot(Operation *buffer) {
  constexpr int64_t most = (int64_t(1) << 31) - 1;
  std::optional<int64_t> slot = getSlot(buffer);
  if (!slot || (*slot >= 0 && *slot <= most)) // new_slot
    return success();
  return buffer->emitOpError("expected a slot from 0 to ")
         << most << ", got " << *slot;
}

std::optional<int64_t> mlir::tc::getSlot(Operation *buffer) {
  if (auto stage = dyn_cast_or_null<StageOp>(buffer))
    return stage.getSlot();
  auto own = dyn_cast_or_null<NewOp>(buffer);
  return own ? own.getSlot() : std::nullopt;
}

//===----------------------------------------------------------------------===//
// tc.new
//===----------------------------------------------------------------------===//

void NewOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  effects.emplace_back(MemoryEffects::Allocate::get(), (*this)->getOpResult(0));
  if (getInitAttr())
    effects.emplace_back(MemoryEffects::Write::get(), (*this)->getOpResult(0));
}

LogicalResult NewOp::verify() {
  auto type = cast<MemRefType>(getType());
  if (!type.hasStaticShape()) // new_static
    return emitOpError("expected a static shape, got ") << type;
  if (getInitAttr() && getInitAttr().getType() != type.getElementType())
    return emitOpError("expected init of type ") // new_init
           << type.getElementType() << ", got " << getInitAttr();
  if (getThreads() < 0 ||
      getThreads() > uint64_t(type.getRank())) // new_threads
    return emitOpError("expected threads from 0 to the rank ")
           << type.getRank() << ", got " << getThreads();
  return verifySlot(*this);
}

//===----------------------------------------------------------------------===//
// tc.stage
//===----------------------------------------------------------------------===//

unsigned StageOp::getRowsDim() {
  auto type = cast<MemRefType>(getType());
  SmallVector<int64_t> strides = type.getStridesAndOffset().first;
  if (getRows() == 1)
    return strides.empty() ? 0 : strides.size() - 1;
  return std::distance(strides.begin(), llvm::find(strides, 1));
}

LogicalResult StageOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto result = cast<MemRefType>(getType());
  if (source.getRank() != result.getRank() ||
      source.getElementType() != result.getElementType()) // stage_type
    return emitOpError("expected source and result of one rank and element "
                       "type, got ")
           << source << " and " << result;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!result.hasStaticShape() ||
      failed(result.getStridesAndOffset(strides, offset)) || offset != 0 ||
      llvm::any_of(strides, [](int64_t stride) { return stride < 0; }))
    return emitOpError("expected a result of static shape, offset 0 and static "
                       "strides of at least 0, got ") // stage_static
           << result;
  for (auto [from, to] : llvm::zip_equal(source.getShape(), result.getShape()))
    if (!ShapedType::isDynamic(from) && from > to) // stage_size
      return emitOpError("expected the source to fit in the result, got ")
             << source << " and " << result;
  if (getPad().getType() != result.getElementType()) // stage_pad
    return emitOpError("expected pad of type ")
           << result.getElementType() << ", got " << getPad();
  int64_t chunk = getChunk(), rows = getRows();
  auto isWhole = [](MemRefType type, unsigned d, int64_t part) {
    return type.isDynamicDim(d) || type.getDimSize(d) % part == 0;
  };
  auto hasChunks = [&](MemRefType type, bool isTransposed) {
    unsigned last = type.getRank() - 1;
    return type.getRank() > 0 && chunk > 0 && isWhole(type, last, chunk) &&
           (isTransposed || type.getStridesAndOffset().first.back() == 1);
  };
  if (chunk != 1 && (!hasChunks(source, /*isTransposed=*/false) ||
                     !hasChunks(result, rows != 1))) // stage_chunk
    return emitOpError("expected the last dimension of source and result to be "
                       "whole chunks of stride 1, got ")
           << chunk << " of " << source << " and " << result;
  if (rows != 1) {
    unsigned along = getRowsDim(), rank = result.getRank();
    if (chunk == 1 || rows < 1 || along + 1 >= rank ||
        !isWhole(source, along, rows) ||
        !isWhole(result, along, rows)) // stage_rows
      return emitOpError("expected rows of whole chunks along a dimension of "
                         "stride 1 in the result that is not the last, got ")
             << rows << " rows of " << chunk << " of " << source << " and "
             << result;
  }
  if (rows != 1 &&
      isa<ComplexType>(result.getElementType())) // stage_rows_complex
    return emitOpError("expected rows of integers or floats, since there are "
                       "no vectors of complex numbers, got ")
           << rows << " rows of " << result.getElementType();
  return verifySlot(*this);
}

//===----------------------------------------------------------------------===//
// tc.cache
//===----------------------------------------------------------------------===//

LogicalResult CacheOp::verify() {
  auto type = cast<MemRefType>(getSource().getType());
  if (!type.hasRank() || type.getRank() == 0) // cache_rank
    return emitOpError("expected a buffer of rank 1 or more, got ") << type;
  if (getPad() && int64_t(*getPad()) < 0) // cache_pad
    return emitOpError("expected a pad of at least 0, got ")
           << int64_t(*getPad());
  if (!getOrder())
    return success();
  SmallVector<int64_t> order(*getOrder());
  if (int64_t(order.size()) != type.getRank() ||
      !isPermutationVector(order)) // cache_order
    return emitOpError("expected the order of ")
           << type.getRank() << " dimensions, got [" << order << "]";
  return success();
}
