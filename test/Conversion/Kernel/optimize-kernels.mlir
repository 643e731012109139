// The passes of LLVM that kernels go through (OptimizeKernels.cpp): a loop of four goes, sums stay in
// registers, and what is only read comes by the path for data that nobody writes. Without them
// (level 0) the loop and its branches are there.
//
// RUN: tc-opt %s --tc-to-nvvm="chip=sm_90a" | FileCheck %s
// RUN: tc-opt %s --tc-to-nvvm="chip=sm_90a opt-level=0" | FileCheck %s --check-prefix=LEVEL0

// CHECK: .visible .entry sums(
// CHECK-NOT: bra
// CHECK-NOT: .local
// CHECK-COUNT-4: ld.global.nc.
// CHECK-NOT: bra
// LEVEL0: .visible .entry sums(
// LEVEL0-NOT: ld.global.nc
// LEVEL0: bra
func.func @sums(%a: memref<4x1024xf32>, %c: memref<1024xf32>) {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tc.par device (%i) = (0) to (1024) {
    %sum = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero) -> f32 {
      %x = memref.load %a[%k, %i] : memref<4x1024xf32>
      %next = arith.addf %acc, %x : f32
      scf.yield %next : f32
    }
    memref.store %sum, %c[%i] : memref<1024xf32>
  }
  return
}
