//===- Tiles.cpp - What a schedule means for a contraction ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Analysis/Tiles.h"

#include "tc/Algebra/Lmad.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

StageTile mlir::tc::getStageTile(ScheduleAttr schedule,
                                 ArrayRef<StringRef> iterators,
                                 MLIRContext *context) {
  StageTile tile;
  tile.iterators.assign(iterators.begin(), iterators.end());
  // Each iterator is in one of the two lists; the other factor is 1.
  for (StringRef name : iterators)
    tile.sizes.push_back(schedule.getBlock(name) * schedule.getStep(name));
  unsigned split = iterators.size();
  if (!schedule.getThread().empty()) {
    StringRef fastest = schedule.getThread().back().iterator.getValue();
    auto *it = llvm::find(iterators, fastest);
    if (it != iterators.end())
      split = it - iterators.begin() + 1;
  }
  PaddedTile padded = paddedRowMajor(tile.sizes, split, context);
  // Nothing lies inside the last dimension, so nothing is padded there.
  if (split >= iterators.size())
    padded.layout = rowMajor(tile.sizes, context);
  tile.strides = *padded.layout.staticStrides();
  tile.elements = iterators.empty() ? 1 : tile.sizes[0] * tile.strides[0];
  return tile;
}

int64_t mlir::tc::getTileFactor(ContractOp op, ScheduleAttr schedule,
                                unsigned i) {
  StringRef name = op.getIterator(i);
  return op.isContracted(i) ? schedule.getStep(name) : schedule.getBlock(name);
}

SmallVector<unsigned> mlir::tc::getTileOrder(ContractOp op,
                                             ScheduleAttr schedule,
                                             const Access &access) {
  SmallVector<unsigned> order;
  for (unsigned i = 0, e = op.getNumIterators(); i < e; ++i)
    if (access.variesWith(i) && getTileFactor(op, schedule, i) > 1)
      order.push_back(i);
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    return std::abs(access.nominal[a]) > std::abs(access.nominal[b]);
  });
  return order;
}
