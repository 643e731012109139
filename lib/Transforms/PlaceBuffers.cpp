//===- PlaceBuffers.cpp - A memory space for every buffer -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A buffer belongs to an iteration of the tc.par round it. Where that is run by
// one thread, or each thread has its own part, the buffer is the thread's:
// registers, if it is small. Where a team runs it, the buffer is shared.
//
//===----------------------------------------------------------------------===//

#include "PlaceBuffers.h"

#include "tc/IR/TC.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::tc;

/// Gives `buffer`, and all views of it, the memory of `placed`.
static LogicalResult placeIn(MemRefType placed, Value buffer) {
  buffer.setType(placed);
  for (Operation *user : buffer.getUsers()) {
    if (auto view = dyn_cast<ViewOp>(user)) {
      if (failed(placeIn(view.getLmad().getViewType(placed), view)))
        return failure();
    } else if (isa<ViewLikeOpInterface>(user)) {
      return user->emitOpError("expected a buffer without a memory space to be "
                               "viewed by tc.view alone");
    }
  }
  return success();
}

/// Does each thread that uses the buffer have a part of its own?
static bool isOfThreads(NewOp buffer) {
  return llvm::all_of(buffer->getUsers(), [&](Operation *user) {
    auto threads = user->getParentOfType<ParOp>();
    return threads && threads.getLevel() == Level::Block &&
           threads.getRank() == buffer.getThreads();
  });
}

/// Where a buffer of an iteration of `owner` lies, and why.
static std::pair<gpu::AddressSpace, StringRef> chooseSpace(NewOp buffer,
                                                           ParOp owner) {
  bool isTeam = owner.getLevel() == Level::Grid || owner.getMemberThreads() > 1;
  if (!isTeam)
    return {gpu::AddressSpace::Private, "one thread runs what is round it"};
  if (owner.getLevel() == Level::Grid && isOfThreads(buffer))
    return {gpu::AddressSpace::Private, "each thread uses a part of its own"};
  return {gpu::AddressSpace::Workgroup, "several threads use it"};
}

static LogicalResult place(NewOp buffer) {
  auto owner = buffer->getParentOfType<ParOp>();
  if (!owner || !owner.getLevel())
    return success();
  auto [space, reason] = chooseSpace(buffer, owner);
  remark::analysis(buffer.getLoc(),
                   remark::RemarkOpts::name("Memory").category("tc-promote"))
      << remark::reason("the buffer lies in {0} memory: {1}",
                        gpu::stringifyAddressSpace(space), reason);
  auto type = cast<MemRefType>(buffer.getType());
  auto attr = gpu::AddressSpaceAttr::get(buffer.getContext(), space);
  return placeIn(MemRefType::Builder(type).setMemorySpace(attr),
                 buffer.getResult());
}

LogicalResult mlir::tc::placeBuffers(func::FuncOp function) {
  WalkResult result = function.walk([](NewOp buffer) -> WalkResult {
    if (cast<MemRefType>(buffer.getType()).getMemorySpace())
      return WalkResult::advance();
    return place(buffer);
  });
  return failure(result.wasInterrupted());
}
