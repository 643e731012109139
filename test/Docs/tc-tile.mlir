// RUN: tc-opt %s --tc-tile | FileCheck %s

// A block has 2 x 2 threads of 2 x 3 results each, and takes 2 steps of k at a time.
func.func @product(%A: memref<8x4xf32>, %B: memref<4x12xf32>, %C: memref<8x12xf32>) {
  tc.contract (i = 8, j = 12, k = 4)
    ins(%A[i, k] : memref<8x4xf32>, %B[k, j] : memref<4x12xf32>)
    outs(%C[i, j] : memref<8x12xf32>)
    {schedule = #tc.schedule<thread = [i = 2, j = 2], register = [i = 2, j = 3], step = [k = 2], kernel = fma>}
  return
}

// CHECK-LABEL: @product
// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (8, 12) step (4, 6)
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f32)
// CHECK: tc.seq (%{{.*}}) = (0) to (4) step (2)
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (2, 2)
// CHECK: tc.contract (i = 2, j = 3, k = 2)
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (0, 0) to (2, 2)
// CHECK: memref.subview %[[ACC]]
