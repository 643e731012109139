//===- TCToGPUArguments.cpp - What kernels take ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TCToGPU/TCToGPU.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::tc;

/// Is a bare pointer all there is to a memref of this type?
static bool isBarePointer(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!type.hasStaticShape() ||
      failed(type.getStridesAndOffset(strides, offset)))
    return type.hasStaticShape();
  return !ShapedType::isDynamic(offset) &&
         !llvm::any_of(strides, ShapedType::isDynamic);
}

/// An index of the host in the kernel, as an integer in between.
static Value passIndex(OpBuilder &host, OpBuilder &kernel, Location loc,
                       Value value, unsigned width) {
  // By way of 64 bits: a cast to 32 and back would fold to nothing, which is
  // not what it does to a larger value.
  Value passed =
      arith::IndexCastOp::create(host, loc, host.getI64Type(), value);
  if (width < 64)
    passed =
        arith::TruncIOp::create(host, loc, host.getIntegerType(width), passed);
  return arith::IndexCastOp::create(kernel, loc, kernel.getIndexType(), passed);
}

/// A memref of run-time layout in the kernel: its buffer under the same layout.
static Value passMemRef(OpBuilder &host, OpBuilder &kernel, Location loc,
                        Value value, unsigned width) {
  auto type = cast<MemRefType>(value.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(host, loc, value);
  auto pass = [&](ArrayRef<OpFoldResult> all) {
    return llvm::map_to_vector(all, [&](OpFoldResult one) -> OpFoldResult {
      if (auto dynamic = dyn_cast<Value>(one))
        return passIndex(host, kernel, loc, dynamic, width);
      return one;
    });
  };
  SmallVector<OpFoldResult> offset = pass(metadata.getConstifiedMixedOffset());
  return memref::ReinterpretCastOp::create(
      kernel, loc, type, metadata.getBaseBuffer(), offset.front(),
      pass(metadata.getConstifiedMixedSizes()),
      pass(metadata.getConstifiedMixedStrides()));
}

void mlir::tc::passArguments(gpu::LaunchOp launch, unsigned indexWidth) {
  llvm::SetVector<Value> outside;
  getUsedValuesDefinedAbove(launch.getBody(), outside);
  OpBuilder host(launch),
      kernel = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Value value : outside) {
    Value inside;
    auto type = dyn_cast<MemRefType>(value.getType());
    if (matchPattern(value, m_Constant()))
      continue;
    if (value.getType().isIndex())
      inside = passIndex(host, kernel, launch.getLoc(), value, indexWidth);
    else if (type && !isBarePointer(type))
      inside = passMemRef(host, kernel, launch.getLoc(), value, indexWidth);
    else
      continue;
    value.replaceUsesWithIf(inside, [&](OpOperand &use) {
      return launch.getBody().isAncestor(use.getOwner()->getParentRegion());
    });
  }
}

gpu::GPUModuleOp mlir::tc::getKernelModule(ModuleOp module, std::string name,
                                           unsigned indexWidth) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  for (unsigned tries = 0; Operation *other = module.lookupSymbol(name);
       ++tries) {
    auto kernels = dyn_cast<gpu::GPUModuleOp>(other);
    if (kernels && DataLayout(kernels).getTypeSizeInBits(
                       builder.getIndexType()) == indexWidth)
      return kernels;
    name += tries == 0 ? "_i" + std::to_string(indexWidth) : "_";
  }
  auto kernels = gpu::GPUModuleOp::create(builder, module.getLoc(), name);
  if (indexWidth == 64)
    return kernels;
  // convert-gpu-to-nvvm reads the width of an index here.
  DataLayoutEntryInterface entry = DataLayoutEntryAttr::get(
      builder.getIndexType(), builder.getI32IntegerAttr(indexWidth));
  kernels->setAttr(
      DLTIDialect::kDataLayoutAttrName,
      DataLayoutSpecAttr::get(builder.getContext(), ArrayRef(entry)));
  return kernels;
}
