// RUN: tc-opt %s --convert-tc-to-loops | FileCheck %s

// A contraction and a nest, as loops.
func.func @f(%A: memref<8x4xf32>, %B: memref<4xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, k = 4)
    ins(%A[i, k] : memref<8x4xf32>, %B[k] : memref<4xf32>)
    outs(%C[i] : memref<8xf32>)
  tc.par (%i) = (0) to (8) step (2) {
    %x = memref.load %C[%i] : memref<8xf32>
    %y = arith.negf %x : f32
    memref.store %y, %C[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: @f
// CHECK-NOT: tc.
// CHECK: scf.for
// CHECK: scf.for
// CHECK: arith.mulf
// CHECK: scf.for
// CHECK: arith.negf
