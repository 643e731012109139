// RUN: tc-opt %s --tc-lower-microkernel | FileCheck %s

// One thread's contraction: two results, unrolled; k stays a loop.
func.func @thread(%A: memref<2x16xf32>, %B: memref<16xf32>, %C: memref<2xf32>) {
  tc.par block (%t) = (0) to (1) {
    tc.contract (i = 2, k = 16)
      ins(%A[i, k] : memref<2x16xf32>, %B[k] : memref<16xf32>)
      outs(%C[i] : memref<2xf32>)
  }
  return
}

// CHECK-LABEL: @thread
// CHECK-NOT: tc.contract
// CHECK: scf.for
// CHECK-COUNT-2: math.fma
// CHECK-NOT: math.fma
