// RUN: tc-opt %s --tc-check-nests | FileCheck %s

// Every third element is written, and its neighbours are read.
func.func @thirds(%A: memref<300xf32>) {
  tc.par (%i) = (1) to (299) step (3) {
    %l = affine.apply affine_map<(i) -> (i - 1)>(%i)
    %r = affine.apply affine_map<(i) -> (i + 1)>(%i)
    %a = memref.load %A[%l] : memref<300xf32>
    %b = memref.load %A[%r] : memref<300xf32>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %A[%i] : memref<300xf32>
  }
  return
}

// CHECK-LABEL: @thirds
// CHECK: memref.store
