//===- TilerViews.cpp - What the nest of a contraction reads and writes ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Contract/Alignment.h"
#include "Contract/Tiler.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

Value Tiler::buildBlockTile(Summand &summand, unsigned input) {
  const Access &operand = summand.table.inputs[input];
  SmallVector<Product> products = {{operand.start, builder.getIndexAttr(1)}};
  for (unsigned i = 0, e = summand.op.getNumIterators(); i < e; ++i)
    if (operand.variesWith(i))
      products.push_back({summand.origin[i], operand.values[i]});
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned i : summand.tileOrder(input)) {
    sizes.push_back(summand.inside[i]);
    strides.push_back(operand.values[i]);
  }
  return ViewOp::create(builder, loc, operand.base,
                        buildSum(builder, loc, products), sizes, strides);
}

Value Tiler::buildAccumulatorTile(Value accumulator, Place at) {
  auto type = cast<MemRefType>(accumulator.getType());
  SmallVector<OpFoldResult> offsets, sizes, steps;
  SmallVector<int64_t> held;
  llvm::append_range(offsets, place);
  sizes.resize(place.size(), builder.getIndexAttr(1));
  for (auto [d, extent] :
       llvm::enumerate(type.getShape().drop_front(place.size()))) {
    std::optional<int64_t> fixed = at.empty() ? std::nullopt : at[d];
    offsets.push_back(builder.getIndexAttr(fixed.value_or(0)));
    sizes.push_back(builder.getIndexAttr(fixed ? 1 : extent));
    if (!fixed)
      held.push_back(extent);
  }
  steps.resize(type.getRank(), builder.getIndexAttr(1));
  MemRefType own = memref::SubViewOp::inferRankReducedResultType(
      held, type, offsets, sizes, steps);
  return memref::SubViewOp::create(builder, loc, own, accumulator, offsets,
                                   sizes, steps);
}

Value Tiler::buildPartialTile(Value partial, ArrayRef<unsigned> registers) {
  SmallVector<int64_t> strides =
      cast<MemRefType>(partial.getType()).getStridesAndOffset().first;
  SmallVector<Product> products;
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (auto [d, i] : llvm::enumerate(first().dims))
    if (first().threads(i) > 1)
      products.push_back({first().thread[i],
                          builder.getIndexAttr(strides[registers.size() + d])});
  for (auto [r, i] : llvm::enumerate(registers)) {
    sizes.push_back(builder.getIndexAttr(first().registers(i)));
    viewStrides.push_back(builder.getIndexAttr(strides[r]));
  }
  return ViewOp::create(builder, loc, partial, buildSum(builder, loc, products),
                        sizes, viewStrides);
}

void Tiler::addAccumulators(Summand &summand, ArrayRef<unsigned> iterators,
                            MappedArrays &tiles) {
  for (Value accumulator : accumulators)
    tiles.add(buildAccumulatorTile(accumulator),
              getMap(tiledResults(summand), iterators));
}

void Tiler::addResultTile(Summand &summand, const Access &operand,
                          ArrayRef<unsigned> iterators, MappedArrays &tiles) {
  SmallVector<unsigned> dims = llvm::filter_to_vector(
      tiledResults(summand), [&](unsigned i) { return operand.variesWith(i); });
  // Rows of stride 1 last, where one access may take several elements.
  llvm::stable_sort(dims, [&](unsigned a, unsigned b) {
    return operand.strides[a] != 1 && operand.strides[b] == 1;
  });
  SmallVector<Product> products = {{operand.start, builder.getIndexAttr(1)}};
  for (unsigned i : summand.results)
    products.push_back({summand.origin[i], operand.values[i]});
  SmallVector<OpFoldResult> sizes, strides;
  for (unsigned i : dims) {
    int64_t threads = summand.threads(i);
    if (threads > 1)
      products.push_back({summand.thread[i], operand.values[i]});
    sizes.push_back(buildThreadCount(summand, i));
    strides.push_back(buildProduct(builder, loc, operand.values[i], threads));
  }
  tiles.add(ViewOp::create(builder, loc, operand.base,
                           buildSum(builder, loc, products), sizes, strides),
            getMap(dims, iterators));
}

//===----------------------------------------------------------------------===//
// Vectors
//===----------------------------------------------------------------------===//

bool Tiler::hasAlignedRows(Summand &summand, const Access &operand, unsigned i,
                           int64_t count) {
  // A block tile begins at a multiple of its extent along each iterator.
  if (operand.strides[i] != 1 || summand.tile(i) % count != 0 ||
      !isMultipleOf(operand.start, count) ||
      !beginsAligned(operand.base, count, first().op))
    return false;
  return llvm::all_of(llvm::enumerate(operand.values), [&](auto stride) {
    return stride.index() == i || !operand.variesWith(stride.index()) ||
           isMultipleOf(stride.value(), count);
  });
}

bool Tiler::hasAlignedRows(Summand &summand, unsigned k, unsigned i,
                           int64_t count) {
  StagingAttr staging = summand.staging(k);
  if (staging.isInPlace())
    return hasAlignedRows(summand, summand.table.inputs[k], i, count);
  return llvm::all_of(
      llvm::zip_equal(summand.tileOrder(k), staging.getStrides()),
      [&](auto pair) {
        auto [other, dim] = pair;
        return other == i ? dim.value == 1 : dim.value % count == 0;
      });
}

void Tiler::setVectors(
    ContractOp tile, ArrayRef<unsigned> iterators,
    function_ref<bool(unsigned o, unsigned i, int64_t count)> hasRows) {
  SmallVector<int64_t> vectors;
  for (auto [o, row] : llvm::enumerate(tile.findRowIterators()))
    if (row && *row < iterators.size() &&
        hasRows(o, iterators[*row], tile.getStaticExtents()[*row]))
      vectors.push_back(o);
  if (!vectors.empty())
    TCDialect::VectorsAttrHelper(builder.getContext())
        .setAttr(tile, builder.getDenseI64ArrayAttr(vectors));
}
