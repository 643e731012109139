//===- HostBuilder.cpp - Code of a CPU's contraction ----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Host/HostBuilder.h"

#include "tc/IR/LoopHints.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::tc;

void HostBuilder::loop(Value upper, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(*this, constant(0), upper, constant(1));
  setScalar(loop); // vectors are written out; others would gather and scatter
  InsertionGuard guard(*this);
  setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void HostBuilder::branch(Value condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  auto branch = scf::IfOp::create(*this, condition, /*withElseRegion=*/true);
  InsertionGuard guard(*this);
  setInsertionPointToStart(branch.thenBlock());
  then();
  setInsertionPointToStart(branch.elseBlock());
  otherwise();
}

scf::ParallelOp HostBuilder::parallel(ValueRange counts) {
  SmallVector<Value> zeros(counts.size(), constant(0)),
      ones(counts.size(), constant(1));
  return scf::ParallelOp::create(*this, zeros, counts, ones);
}

/// Each round swaps blocks of half the size off the diagonal.
void HostBuilder::transpose(SmallVectorImpl<Value> &vectors) {
  int64_t n = vectors.size();
  for (int64_t half = n / 2; half != 0; half /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i != n; ++i) {
      low.push_back(i & half ? n + (i ^ half) : i);
      high.push_back(i & half ? n + i : i ^ half);
    }
    for (int64_t i = 0; i != n; ++i) {
      if (i & half)
        continue;
      Value a = vectors[i], b = vectors[i | half];
      vectors[i] = vector::ShuffleOp::create(*this, a, b, low);
      vectors[i | half] = vector::ShuffleOp::create(*this, a, b, high);
    }
  }
}
