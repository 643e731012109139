//===- TilerStage.cpp - Tiles of inputs, in place or in shared memory -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "tc/IR/Scalars.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<unsigned> Tiler::Summand::tileOrder(unsigned k) {
  if (staging(k).isInPlace())
    return getTileOrder(op, schedule(), access.inputs[k]);
  return llvm::map_to_vector(staging(k).getStrides(), [&](const Factor &dim) {
    return *op.findIterator(dim.iterator.getValue());
  });
}

bool Tiler::hasAlignedRows(Summand &summand, unsigned input, int64_t chunk) {
  const Reach &reach = summand.reaches[input];
  auto type = cast<MemRefType>(reach.base.getType());
  unsigned row = summand.tileOrder(input).back();
  if (getConstantIntValue(summand.inside[row]) != chunk)
    return false;
  // Addresses of buffers are those of their elements, if no variant has more.
  VariantAttr variant =
      TCDialect::VariantAttrHelper(builder.getContext()).getAttr(summand.op);
  int64_t alignment = variant ? variant.getAlignment() : 1;
  int64_t offset = type.getStridesAndOffset().second;
  if (alignment % (chunk * getBytes(type.getElementType())) != 0 ||
      ShapedType::isDynamic(offset) || offset % chunk != 0 ||
      !isMultipleOf(reach.offset, chunk))
    return false;
  for (auto [i, stride] : llvm::enumerate(reach.strides))
    if (i != row && !isMultipleOf(stride, chunk))
      return false;
  return true;
}

Value Tiler::buildStage(Summand &summand, Value blockTile, unsigned input) {
  StagingAttr staging = summand.staging(input);
  SmallVector<int64_t> sizes, strides;
  for (auto [i, dim] :
       llvm::zip_equal(summand.tileOrder(input), staging.getStrides())) {
    sizes.push_back(getTileFactor(summand.op, summand.schedule(), i));
    strides.push_back(dim.value);
  }
  auto type = MemRefType::get(
      sizes, cast<MemRefType>(blockTile.getType()).getElementType(),
      StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  int64_t chunk = staging.getChunk();
  if (chunk > 1 && !hasAlignedRows(summand, input, chunk))
    chunk = 1;
  // Tiles of the terms of a sum follow one another in the same memory.
  IntegerAttr slot =
      summands.size() > 1 ? builder.getI64IntegerAttr(input) : IntegerAttr();
  return StageOp::create(builder, loc, type, blockTile,
                         summand.pads.values[input], slot,
                         builder.getI64IntegerAttr(chunk));
}

int64_t Tiler::getFullCount(Summand &summand, unsigned i) {
  StringRef name = summand.op.getIterator(i);
  return summand.op.isContracted(i)
             ? summand.schedule().getStep(name) / summand.threads(i)
             : summand.registers(i);
}

/// Says that steps along an iterator are not filled up.
static void explainGuard(ContractOp contract, StringRef iterator) {
  remark::missed(contract.getLoc(),
                 remark::RemarkOpts::name("GuardedSteps").category("tc-tile"))
      << remark::reason(
             "the last step along '{0}' is guarded: no fill values of the "
             "inputs make the map neutral",
             iterator);
}

OpFoldResult Tiler::buildComputedCount(Summand &summand, unsigned i) {
  OpFoldResult inside = buildThreadCount(summand, i);
  // What is read in place ends where the array does.
  for (auto [k, input] : llvm::enumerate(summand.access.inputs))
    if (summand.staging(k).isInPlace() && input.variesWith(i))
      return inside;
  int64_t full = getFullCount(summand, i);
  if (summand.pads.covers[i])
    return builder.getIndexAttr(full);
  if (getConstantIntValue(inside) != full)
    explainGuard(summand.op, summand.op.getIterator(i));
  return inside;
}

Value Tiler::buildThreadTile(Summand &summand, Value tile, unsigned input) {
  const Reach &reach = summand.reaches[input];
  StagingAttr staging = summand.staging(input);
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, strides;
  for (auto [d, i] : llvm::enumerate(summand.tileOrder(input))) {
    OpFoldResult stride = reach.strides[i];
    if (!staging.isInPlace())
      stride = builder.getIndexAttr(staging.getStrides()[d].value);
    int64_t threads = summand.threads(i);
    if (threads > 1)
      products.push_back({summand.thread[i], stride});
    sizes.push_back(staging.isInPlace()
                        ? buildThreadCount(summand, i)
                        : builder.getIndexAttr(getFullCount(summand, i)));
    strides.push_back(buildProduct(builder, loc, stride, threads));
  }
  return ViewOp::create(builder, loc, tile, buildSum(builder, loc, products),
                        sizes, strides);
}
