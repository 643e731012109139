//===- HoistBuffers.cpp - Buffers of iterations in flight -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Buffers go round as tokens do: an iteration has the buffer of the one that it
// comes after.
//
//===----------------------------------------------------------------------===//

#include "Launches/Parts.h"

#include "tc/IR/TC.h"

using namespace mlir;
using namespace mlir::tc;

namespace {
/// A buffer that each iteration of a loop allocates and frees, waiting for
/// both.
struct OwnBuffer {
  gpu::AllocOp alloc;
  gpu::WaitOp start, end; ///< of the allocation
  gpu::DeallocOp dealloc;
};
} // namespace

/// None where the buffer is freed elsewhere, or its size is not known outside
/// of `loops`.
static std::optional<OwnBuffer> findOwn(gpu::AllocOp alloc,
                                        ArrayRef<scf::ForOp> loops) {
  OwnBuffer own{alloc, {}, {}, {}};
  if (alloc.getAsyncDependencies().size() != 1 || !alloc.getAsyncToken() ||
      !alloc.getAsyncToken().hasOneUse())
    return std::nullopt;
  own.start = alloc.getAsyncDependencies().front().getDefiningOp<gpu::WaitOp>();
  own.end = dyn_cast<gpu::WaitOp>(*alloc.getAsyncToken().user_begin());
  for (Operation *user : alloc.getMemref().getUsers())
    if (auto dealloc = dyn_cast<gpu::DeallocOp>(user))
      own.dealloc = dealloc;
  auto isKnown = [&](Value size) {
    return scf::ForOp(loops.front()).isDefinedOutsideOfLoop(size);
  };
  if (!own.start || !own.start.getAsyncToken().hasOneUse() || !own.end ||
      own.end.getAsyncToken() || own.end.getAsyncDependencies().size() != 1 ||
      !own.dealloc || own.dealloc->getBlock() != alloc->getBlock() ||
      own.dealloc.getAsyncToken() ||
      !llvm::all_of(alloc.getDynamicSizes(), isKnown) ||
      !llvm::all_of(alloc.getSymbolOperands(), isKnown))
    return std::nullopt;
  return own;
}

/// The buffers of an iteration; none where something else keeps loops from
/// being parts of a graph.
static SmallVector<OwnBuffer> findOwn(ArrayRef<scf::ForOp> loops,
                                      HostMemory &memory) {
  SmallVector<OwnBuffer> all;
  Block *body = scf::ForOp(loops.back()).getBody();
  for (Operation &op : body->without_terminator()) {
    if (isa<gpu::WaitOp>(op) || isComputation(op) || isPart(op, memory))
      continue;
    auto alloc = dyn_cast<gpu::AllocOp>(op);
    std::optional<OwnBuffer> own;
    if (alloc)
      own = findOwn(alloc, loops);
    if (!own)
      return {};
    all.push_back(*own);
  }
  return all;
}

/// Allocates and frees as many of each as there are iterations in flight.
static void hoist(ArrayRef<OwnBuffer> all, ArrayRef<scf::ForOp> loops) {
  IRRewriter rewriter(loops.front());
  size_t inFlight = countInFlight(loops);
  SmallVector<Value> buffers;
  for (OwnBuffer own : all)
    for (size_t i = 0; i != inFlight; ++i) {
      IRMapping mapping;
      rewriter.clone(*own.start, mapping);
      auto alloc = cast<gpu::AllocOp>(rewriter.clone(*own.alloc, mapping));
      rewriter.clone(*own.end, mapping);
      buffers.push_back(alloc.getMemref());
    }
  rewriter.setInsertionPointAfter(loops.front());
  for (Value buffer : buffers)
    gpu::DeallocOp::create(rewriter, buffer.getLoc(), Type(), ValueRange(),
                           buffer);
  carryValues(rewriter, loops, buffers, [&](Block &, ArrayRef<Value> carried) {
    SmallVector<Value> next;
    for (size_t i = 0; i != all.size(); ++i) {
      OwnBuffer own = all[i];
      ArrayRef<Value> ring = carried.slice(i * inFlight, inFlight);
      rewriter.replaceAllUsesWith(own.alloc.getMemref(), ring.front());
      for (Operation *op : {own.dealloc.getOperation(), own.end.getOperation(),
                            own.alloc.getOperation(), own.start.getOperation()})
        rewriter.eraseOp(op);
      next.append(ring.drop_front().begin(), ring.end());
      next.push_back(ring.front());
    }
    return next;
  });
}

void mlir::tc::hoistBuffers(Block &block, HostMemory &memory) {
  for (auto loop : llvm::make_early_inc_range(block.getOps<scf::ForOp>())) {
    SmallVector<scf::ForOp> loops = getIndependentLoops(loop);
    if (loops.empty())
      continue;
    if (SmallVector<OwnBuffer> all = findOwn(loops, memory); !all.empty())
      hoist(all, loops);
  }
}
