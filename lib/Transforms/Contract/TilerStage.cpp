//===- TilerStage.cpp - Tiles of inputs, in place or in shared memory -----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Tiler.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

SmallVector<unsigned> Tiler::Summand::tileOrder(unsigned k) {
  if (staging(k).isInPlace())
    return llvm::map_to_vector(getTileDims(op, schedule(), table.inputs[k]),
                               [](const TileDim &dim) { return dim.iterator; });
  return llvm::map_to_vector(staging(k).getStrides(), [&](const Factor &dim) {
    return *op.findIterator(dim.iterator.getValue());
  });
}

Value Tiler::buildStage(Summand &summand, Value blockTile, unsigned input) {
  StagingAttr staging = summand.staging(input);
  SmallVector<int64_t> sizes, strides;
  for (auto [i, dim] :
       llvm::zip_equal(summand.tileOrder(input), staging.getStrides())) {
    sizes.push_back(summand.tile(i));
    strides.push_back(dim.value);
  }
  auto type = MemRefType::get(
      sizes, cast<MemRefType>(blockTile.getType()).getElementType(),
      StridedLayoutAttr::get(builder.getContext(), /*offset=*/0, strides),
      gpu::AddressSpaceAttr::get(builder.getContext(),
                                 gpu::AddressSpace::Workgroup));
  // Tiles of the terms of a sum follow one another in the same memory.
  IntegerAttr slot =
      summands.size() > 1 ? builder.getI64IntegerAttr(input) : IntegerAttr();
  // Rows that may be neither whole nor aligned are copied one by one.
  int64_t chunk = staging.getChunk();
  if (chunk > 1 &&
      (cast<MemRefType>(blockTile.getType()).getShape().back() != chunk ||
       !hasAlignedRows(summand, summand.table.inputs[input],
                       summand.tileOrder(input).back(), chunk)))
    chunk = 1;
  return StageOp::create(builder, loc, type, blockTile,
                         summand.pads.values[input], slot,
                         builder.getI64IntegerAttr(chunk),
                         /*rows=*/builder.getI64IntegerAttr(1));
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

OpFoldResult Tiler::buildReader(Summand &summand, unsigned i) {
  OpFoldResult thread = summand.thread[i], inside = summand.inside[i];
  std::optional<int64_t> whole = getConstantIntValue(inside);
  if (summand.op.isContracted(i) || (whole && *whole % summand.threads(i) == 0))
    return thread;
  return buildNearest(builder, loc, thread, inside);
}

OpFoldResult Tiler::buildReadCount(Summand &summand, unsigned i) {
  if (summand.threads(i) == 1)
    return summand.inside[i];
  return buildStrideCount(builder, loc, summand.inside[i],
                          buildReader(summand, i), summand.threads(i));
}

OpFoldResult Tiler::buildComputedCount(Summand &summand, unsigned i) {
  // What is read in place ends where the array does.
  for (auto [k, input] : llvm::enumerate(summand.table.inputs))
    if (summand.staging(k).isInPlace() && input.variesWith(i))
      return buildReadCount(summand, i);
  int64_t full = getFullCount(summand, i);
  if (summand.pads.covers[i])
    return builder.getIndexAttr(full);
  OpFoldResult inside = buildThreadCount(summand, i);
  if (getConstantIntValue(inside) != full)
    explainGuard(summand.op, summand.op.getIterator(i));
  return inside;
}

Value Tiler::buildThreadTile(Summand &summand, Value tile, unsigned input) {
  StagingAttr staging = summand.staging(input);
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, strides;
  bool isInPlace = staging.isInPlace();
  for (auto [d, i] : llvm::enumerate(summand.tileOrder(input))) {
    OpFoldResult stride =
        isInPlace ? summand.table.inputs[input].values[i]
                  : builder.getIndexAttr(staging.getStrides()[d].value);
    int64_t threads = summand.threads(i);
    if (threads > 1)
      products.push_back(
          {isInPlace ? buildReader(summand, i) : summand.thread[i], stride});
    sizes.push_back(isInPlace ? buildReadCount(summand, i)
                              : builder.getIndexAttr(getFullCount(summand, i)));
    strides.push_back(buildProduct(builder, loc, stride, threads));
  }
  return ViewOp::create(builder, loc, tile, buildSum(builder, loc, products),
                        sizes, strides);
}
