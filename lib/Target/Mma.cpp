//===- Mma.cpp - Instructions of the tensor units -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Target/Mma.h"

#include "tc/Target/Machine.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::tc {

// On sm_80 the double-precision shapes of 16 rows do not exist. m16n8k16 of
// .e4m3 and .e5m2 is of PTX 8.7, which drivers before CUDA 12.8 do not load,
// and spares nothing but terms that are filled up.
static constexpr MmaShape kShapes[] = {
    {"m8n8k4.f64", 8, 8, 4, 1, 80, "llvm.nvvm.mma.m8n8k4.row.col.f64"},
    {"m16n8k4.f64", 16, 8, 4, 1, 90, "llvm.nvvm.mma.m16n8k4.row.col.f64"},
    {"m16n8k8.f64", 16, 8, 8, 1, 90, "llvm.nvvm.mma.m16n8k8.row.col.f64"},
    {"m16n8k16.f64", 16, 8, 16, 1, 90, "llvm.nvvm.mma.m16n8k16.row.col.f64"},
    {"m16n8k8.f16", 16, 8, 8, 2, 75, "llvm.nvvm.mma.m16n8k8.row.col.f32.f32"},
    {"m16n8k16.f16", 16, 8, 16, 2, 80,
     "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
    {"m16n8k8.bf16", 16, 8, 8, 2, 80, "llvm.nvvm.mma.m16n8k8.row.col.bf16"},
    {"m16n8k16.bf16", 16, 8, 16, 2, 80, "llvm.nvvm.mma.m16n8k16.row.col.bf16"},
    {"m16n8k4.tf32", 16, 8, 4, 1, 80, "llvm.nvvm.mma.m16n8k4.row.col.tf32"},
    {"m16n8k8.tf32", 16, 8, 8, 1, 80, "llvm.nvvm.mma.m16n8k8.row.col.tf32"},
    {"m16n8k16.s8", 16, 8, 16, 4, 80, "llvm.nvvm.mma.m16n8k16.row.col.s8"},
    {"m16n8k32.s8", 16, 8, 32, 4, 80, "llvm.nvvm.mma.m16n8k32.row.col.s8"},
    {"m16n8k32.f8", 16, 8, 32, 4, 89,
     "llvm.nvvm.mma.m16n8k32.row.col.f32.{0}.{1}.f32", kMostTermsOfF8, 84},
};

llvm::ArrayRef<MmaShape> getMmaShapes() { return kShapes; }

const MmaShape *findMmaShape(llvm::StringRef name) {
  const auto *found = llvm::find_if(
      kShapes, [&](const MmaShape &shape) { return shape.name == name; });
  return found == std::end(kShapes) ? nullptr : found;
}

double Machine::getMmaPerCycle(llvm::StringRef type) const {
  if (type == "f64")
    return double(std::max(f64TensorFmaPerCycle, f64FmaPerCycle));
  return mmaSyncShare * double(llvm::StringSwitch<int64_t>(type)
                                   .Cases({"f16", "bf16"}, f16TensorFmaPerCycle)
                                   .Case("tf32", tf32TensorFmaPerCycle)
                                   .Case("s8", s8TensorFmaPerCycle)
                                   .Case("f8", f8TensorFmaPerCycle)
                                   .Default(0));
}

double Machine::getMmaPerCycle(const MmaShape &shape) const {
  double rate = getMmaPerCycle(shape.getType());
  return shape.isShort() ? rate * mmaShortShare : rate;
}

} // namespace mlir::tc
