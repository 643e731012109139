//===- TilerViews.cpp - What the nest of a contraction reads and writes ---===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Indexing.h"
#include "Tiler.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

Value Tiler::buildBlockTile(unsigned input) {
  ArrayRef<int64_t> strides = access.inputs[input].strides;
  SmallVector<Term> terms;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (strides[i] != 0)
      terms.push_back({origin[i], strides[i]});
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tileOrder(input)) {
    sizes.push_back(inside[i]);
    viewStrides.push_back(builder.getIndexAttr(strides[i]));
  }
  return ViewOp::create(builder, loc, op.getInputs()[input],
                        buildSum(builder, loc, terms), sizes, viewStrides);
}

Value Tiler::buildThreadTile(Value blockTile, unsigned input) {
  ArrayRef<int64_t> strides = access.inputs[input].strides;
  SmallVector<Term> terms;
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tileOrder(input)) {
    bool contracted = op.isContracted(i);
    if (!contracted && getThread(i) > 1)
      terms.push_back({thread[i], strides[i]});
    sizes.push_back(contracted ? inside[i] : buildThreadCount(i));
    viewStrides.push_back(builder.getIndexAttr(
        contracted ? strides[i] : strides[i] * getThread(i)));
  }
  return ViewOp::create(builder, loc, blockTile, buildSum(builder, loc, terms),
                        sizes, viewStrides);
}

Value Tiler::buildAccumulatorTile() {
  auto type = cast<MemRefType>(accumulator.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  (void)type.getStridesAndOffset(strides, offset);
  SmallVector<Term> terms;
  SmallVector<OpFoldResult> sizes, viewStrides;
  size_t rank = tiledResults.size();
  for (auto [d, i] : llvm::enumerate(tiledResults)) {
    if (getThread(i) > 1)
      terms.push_back({thread[i], strides[d]});
    sizes.push_back(builder.getIndexAttr(getRegister(i)));
    viewStrides.push_back(builder.getIndexAttr(strides[rank + d]));
  }
  return ViewOp::create(builder, loc, accumulator,
                        buildSum(builder, loc, terms), sizes, viewStrides);
}

Value Tiler::buildResultTile() {
  ArrayRef<int64_t> strides = access.output.strides;
  SmallVector<Term> terms;
  for (unsigned i : results)
    terms.push_back({origin[i], strides[i]});
  SmallVector<OpFoldResult> sizes, viewStrides;
  for (unsigned i : tiledResults) {
    if (getThread(i) > 1)
      terms.push_back({thread[i], strides[i]});
    sizes.push_back(buildThreadCount(i));
    viewStrides.push_back(builder.getIndexAttr(strides[i] * getThread(i)));
  }
  return ViewOp::create(builder, loc, op.getOutput(),
                        buildSum(builder, loc, terms), sizes, viewStrides);
}
