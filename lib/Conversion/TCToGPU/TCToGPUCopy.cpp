//===- TCToGPUCopy.cpp - Copies that run ahead ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async for the chunks of a tile: their addresses, and what is written where
// a tile sticks out.
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPUStage.h"

#include "tc/IR/Scalars.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Conversion/NVGPUToNVVM/NVGPUToNVVM.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// A pointer to the element of `memref` at `index`. An index may be narrower
/// than an address, so that it takes what upstream makes of a memref.
static Value buildPointer(OpBuilder &builder, const LLVMTypeConverter &types,
                          Location loc, Value memref, ValueRange index,
                          NVVM::NVVMMemorySpace space) {
  auto type = cast<MemRefType>(memref.getType());
  Value descriptor = UnrealizedConversionCastOp::create(
                         builder, loc, types.convertType(type), memref)
                         .getResult(0);
  SmallVector<Value> integers = llvm::map_to_vector(index, [&](Value i) {
    return arith::IndexCastOp::create(builder, loc, types.getIndexType(), i)
        .getResult();
  });
  Value pointer = LLVM::getStridedElementPtr(builder, loc, types, type,
                                             descriptor, integers);
  auto wanted =
      LLVM::LLVMPointerType::get(builder.getContext(), unsigned(space));
  return pointer.getType() == wanted
             ? pointer
             : LLVM::AddrSpaceCastOp::create(builder, loc, wanted, pointer);
}

namespace {
/// Where a copy goes, and where it comes from.
struct CopyPointers {
  Value to, from;
};
} // namespace

static CopyPointers buildPointers(KernelContext &kernel, OpBuilder &builder,
                                  StageOp op, Value buffer, ValueRange index) {
  LowerToLLVMOptions options(builder.getContext());
  options.overrideIndexBitwidth(kernel.getIndexWidth());
  LLVMTypeConverter types(builder.getContext(), options);
  nvgpu::populateCommonGPUTypeAndAttributeConversions(types);
  return {buildPointer(builder, types, op.getLoc(), buffer, index,
                       NVVM::NVVMMemorySpace::Shared),
          buildPointer(builder, types, op.getLoc(), op.getSource(), index,
                       NVVM::NVVMMemorySpace::Global)};
}

static Value advance(OpBuilder &builder, Location loc, Value pointer,
                     int64_t bytes) {
  // The op holds no constants of more than 29 bits.
  Value by = LLVM::ConstantOp::create(builder, loc, builder.getI64Type(),
                                      builder.getI64IntegerAttr(bytes));
  return LLVM::GEPOp::create(builder, loc, pointer.getType(),
                             builder.getI8Type(), pointer, by);
}

/// Copies `bytes`, or only as many as `read` says, and zeros.
static void copyBytesAsync(OpBuilder &builder, Location loc,
                           const CopyPointers &at, int64_t bytes,
                           Value read = {}) {
  NVVM::CpAsyncOp::create(builder, loc, at.to, at.from, unsigned(bytes),
                          bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                                      : NVVM::LoadCacheModifierKind::CA,
                          read);
}

/// Complex numbers together, or one, whole where buffers are aligned for that,
/// else component by component. The op of the nvgpu dialect takes none.
static void copyComplexAsync(OpBuilder &builder, KernelContext &kernel,
                             StageOp op, const CopyPointers &at,
                             function_ref<Value(int64_t bytes)> countRead) {
  Location loc = op.getLoc();
  int64_t bytes =
      getBytes(cast<MemRefType>(op.getType()).getElementType()) * op.getChunk();
  bool isAligned =
      op.getChunk() > 1 ||
      (kernel.variant && kernel.variant.getAlignment() % bytes == 0);
  int64_t size = isAligned ? bytes : bytes / 2;
  for (int64_t done = 0; done < bytes; done += size)
    copyBytesAsync(builder, loc,
                   {advance(builder, loc, at.to, done),
                    advance(builder, loc, at.from, done)},
                   size, countRead(size));
}

/// Is the fill value what cp.async writes beyond the bytes that it reads?
static bool isFilledByCopy(StageOp op) {
  Attribute pad = op.getPadAttr();
  if (auto number = dyn_cast<FloatAttr>(pad))
    return number.getValue().isPosZero();
  if (auto number = dyn_cast<complex::NumberAttr>(pad))
    return number.getReal().isPosZero() && number.getImag().isPosZero();
  auto number = dyn_cast<IntegerAttr>(pad);
  return number && number.getValue().isZero();
}

/// Copies the chunk at `index`, whose pointers may be known.
static void copyChunk(KernelContext &kernel, StageOp op, Value buffer,
                      ValueRange index, std::optional<CopyPointers> pointers) {
  OpBuilder &builder = kernel.builder;
  Location loc = op.getLoc();
  Type element = cast<MemRefType>(op.getType()).getElementType();
  int64_t chunk = op.getChunk(), bytes = getBytes(element) * chunk;
  Value inside = buildInside(builder, op, index);
  // Without branches copies share their addresses.
  bool isFilled = inside && isFilledByCopy(op);
  auto countRead = [&](OpBuilder &at, int64_t all, Type type) -> Value {
    if (!isFilled)
      return {};
    auto number = [&](int64_t value) {
      return arith::ConstantOp::create(at, loc, at.getIntegerAttr(type, value));
    };
    return arith::SelectOp::create(at, loc, inside, number(all), number(0));
  };
  auto copy = [&](OpBuilder &at) {
    if (isa<ComplexType>(element))
      return copyComplexAsync(
          at, kernel, op,
          pointers ? *pointers : buildPointers(kernel, at, op, buffer, index),
          [&](int64_t size) { return countRead(at, size, at.getI32Type()); });
    if (pointers)
      return copyBytesAsync(at, loc, *pointers, bytes,
                            countRead(at, bytes, at.getI32Type()));
    nvgpu::DeviceAsyncCopyOp::create(
        at, loc, nvgpu::DeviceAsyncTokenType::get(at.getContext()), buffer,
        index, op.getSource(), index, at.getIndexAttr(chunk),
        countRead(at, chunk, at.getIndexType()),
        bytes == 16 ? at.getUnitAttr() : UnitAttr());
  };
  if (!inside || isFilled)
    return copy(builder);
  SmallVector<Value> pad = buildPad(builder, op, chunk);
  scf::IfOp::create(
      builder, loc, inside,
      [&](OpBuilder &then, Location) {
        copy(then);
        scf::YieldOp::create(then, loc);
      },
      [&](OpBuilder &otherwise, Location) {
        storeChunk(otherwise, loc, pad, buffer, index);
        scf::YieldOp::create(otherwise, loc);
      });
}

void mlir::tc::copyChunkAsync(KernelContext &kernel, StageOp op, Value buffer,
                              ValueRange index) {
  copyChunk(kernel, op, buffer, index, std::nullopt);
}

/// Bytes from an element of a memref to the one so much further; nothing where
/// its strides do not say.
static std::optional<int64_t> findDistance(Value memref,
                                           ArrayRef<int64_t> further) {
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();
  int64_t elements = 0;
  for (auto [stride, by] : llvm::zip_equal(strides, further)) {
    if (by != 0 && ShapedType::isDynamic(stride))
      return std::nullopt;
    elements += by == 0 ? 0 : stride * by;
  }
  return elements * getBytes(type.getElementType());
}

bool mlir::tc::copyRegularly(KernelContext &kernel, StageOp op, Value buffer,
                             const CopyTeam &team) {
  // As indices that all begin with the thread, LLVM would fold distances into
  // the selects that a thread's place is made of, and each copy would have an
  // address of its own.
  OpBuilder &builder = kernel.builder;
  Location loc = op.getLoc();
  if (!team.isRegular() || op.getRows() > 1)
    return false;
  SmallVector<int64_t> rounds, block = getBlock(op);
  for (size_t d = 0, e = block.size(); d < e; ++d)
    rounds.push_back(team.countRounds(d));
  SmallVector<std::pair<int64_t, int64_t>> distances;
  for (int64_t round = 0, e = team.countRounds(); round < e; ++round) {
    SmallVector<int64_t> further =
        mlir::delinearize(round, computeSuffixProduct(rounds));
    for (auto [by, along, own] : llvm::zip_equal(further, team.along, block))
      by *= along * own;
    std::optional<int64_t> to = findDistance(buffer, further),
                           from = findDistance(op.getSource(), further);
    if (!to || !from)
      return false;
    distances.push_back({*to, *from});
  }
  SmallVector<Value> index = buildFirstElement(
      builder, op, buildRegularCopy(kernel, loc, team, /*round=*/0).index);
  CopyPointers first = buildPointers(kernel, builder, op, buffer, index);
  for (auto [round, by] : llvm::enumerate(distances)) {
    OpBuilder::InsertionGuard guard(builder);
    RoundCopy copy = buildRegularCopy(kernel, loc, team, int64_t(round));
    copy.index = buildFirstElement(builder, op, std::move(copy.index));
    enter(builder, copy.works);
    copyChunk(kernel, op, buffer, copy.index,
              CopyPointers{advance(builder, loc, first.to, by.first),
                           advance(builder, loc, first.from, by.second)});
  }
  return true;
}
