// RUN: tc-opt %s | tc-opt | FileCheck %s

// Both products go into C, which is written once.
func.func @both(%A: memref<16x8xf32>, %B: memref<8x4xf32>, %x: memref<16xf32>, %y: memref<4xf32>,
                %C: memref<16x4xf32>) {
  // CHECK: tc.sum {
  // CHECK-NEXT: tc.contract (i = 16, j = 4, k = 8)
  // CHECK-NEXT: tc.contract (i = 16, j = 4)
  // CHECK-NEXT: }
  tc.sum {
    tc.contract (i = 16, j = 4, k = 8)
      ins(%A[i, k] : memref<16x8xf32>, %B[k, j] : memref<8x4xf32>)
      outs(%C[i, j] : memref<16x4xf32>) overwrite
    tc.contract (i = 16, j = 4)
      ins(%x[i] : memref<16xf32>, %y[j] : memref<4xf32>) outs(%C[i, j] : memref<16x4xf32>)
  }
  return
}
