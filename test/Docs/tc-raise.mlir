// RUN: tc-opt %s --tc-raise | FileCheck %s

// A product of matrices is one, in whatever loops it is written.
func.func @product(%A: memref<33x65xf32>, %B: memref<65x17xf32>, %C: memref<33x17xf32>) {
  tc.par (%i, %j) = (0, 0) to (33, 17) {
    tc.seq (%k) = (0) to (65) {
      %a = memref.load %A[%i, %k] : memref<33x65xf32>
      %b = memref.load %B[%k, %j] : memref<65x17xf32>
      %c = memref.load %C[%i, %j] : memref<33x17xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%i, %j] : memref<33x17xf32>
      tc.yield
    }
  }
  return
}

// CHECK-LABEL: @product
// CHECK-NOT: tc.par
// CHECK: linalg.generic {indexing_maps = [#[[A:.*]], #[[B:.*]], #[[C:.*]]], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<33x65xf32>, memref<65x17xf32>) outs(%arg2 : memref<33x17xf32>)
