// RUN: tc-opt %s --tc-call-library=workspace=4096 | FileCheck %s

// The library gets the transpose of what lies by rows: first B, then A.
func.func @product(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
      outs(%C[i, j] : memref<64x48xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 16], step = [k = 16], kernel = library>}
  return
}

// CHECK-LABEL: @product
// CHECK: %[[WORKSPACE:.*]] = memref.alloc() : memref<4096xi8>
// CHECK: %[[DONE:.*]] = tc.library_product %arg1, %arg0, %arg2 into %arg2 using %[[WORKSPACE]] extents [48, 64, 32, 1] leading [48, 32, 48, 48]
// CHECK: scf.if %[[DONE]] {
// CHECK-NEXT: } else {
// CHECK-NEXT: tc.contract {{.*}} overwrite {schedule = #tc.schedule<thread = [i = 8, j = 16], step = [k = 16], kernel = fma>}
// CHECK: memref.dealloc %[[WORKSPACE]]
