//===- Mma.cpp - Instructions of the tensor units -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Mma.h"

#include "llvm/ADT/STLExtras.h"

namespace mlir::tc {

// On sm_80 the double-precision shapes of 16 rows do not exist.
static constexpr MmaShape kShapes[] = {
    {"m8n8k4.f64", 8, 8, 4, 80, "llvm.nvvm.mma.m8n8k4.row.col.f64"},
    {"m16n8k4.f64", 16, 8, 4, 90, "llvm.nvvm.mma.m16n8k4.row.col.f64"},
    {"m16n8k8.f64", 16, 8, 8, 90, "llvm.nvvm.mma.m16n8k8.row.col.f64"},
    {"m16n8k16.f64", 16, 8, 16, 90, "llvm.nvvm.mma.m16n8k16.row.col.f64"},
};

llvm::ArrayRef<MmaShape> getMmaShapes() { return kShapes; }

const MmaShape *findMmaShape(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      kShapes, [&](const MmaShape &shape) { return shape.name == name; });
  return found == std::end(kShapes) ? nullptr : found;
}

} // namespace mlir::tc
