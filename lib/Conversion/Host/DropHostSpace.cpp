//===- DropHostSpace.cpp - Host code without memory spaces ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is copied where has been decided, and a pointer of the host's is one as
// any other.
//
//===----------------------------------------------------------------------===//

#include "Host/MemorySpaces.h"

#include "tc/Conversion/Passes.h"

#include "tc/IR/TC.h"

using namespace mlir;
using namespace mlir::tc;

namespace mlir::tc {
#define GEN_PASS_DEF_DROPHOSTSPACE
#include "tc/Conversion/Passes.h.inc"
} // namespace mlir::tc

namespace {
struct DropHostSpacePass : tc::impl::DropHostSpaceBase<DropHostSpacePass> {
  void runOnOperation() override {
    dropMemorySpaces(getOperation(), [](Attribute space) {
      return isa_and_nonnull<HostAttr>(space);
    });
  }
};
} // namespace
