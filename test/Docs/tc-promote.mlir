// RUN: tc-opt %s --tc-promote | FileCheck %s

// In each step of k, a block of 2 x 2 threads reads a 4 x 2 tile of A and a 2 x 8
// tile of B; each thread gathers 2 x 4 results.
func.func @product(%A: memref<8x4xf32>, %B: memref<4x16xf32>) {
  tc.par grid (%i, %j) = (0, 0) to (8, 16) step (4, 8) {
    %results = tc.new init(0.0 : f32) threads(2) : memref<2x2x2x4xf32>
    tc.seq (%k) = (0) to (4) step (2) {
      %a = affine.apply affine_map<(i, k) -> (4 * i + k)>(%i, %k)
      %tileA = tc.view %A(%a) <offset = ?, sizes = [4, 2], strides = [4, 1]> : memref<8x4xf32> to memref<4x2xf32, strided<[4, 1], offset: ?>>
      %b = affine.apply affine_map<(k, j) -> (16 * k + j)>(%k, %j)
      %tileB = tc.view %B(%b) <offset = ?, sizes = [2, 8], strides = [16, 1]> : memref<4x16xf32> to memref<2x8xf32, strided<[16, 1], offset: ?>>
      tc.par block (%ti, %tj) = (0, 0) to (2, 2) {
        %ta = affine.apply affine_map<(i) -> (4 * i)>(%ti)
        %threadA = tc.view %tileA(%ta) <offset = ?, sizes = [2, 2], strides = [8, 1]> : memref<4x2xf32, strided<[4, 1], offset: ?>> to memref<2x2xf32, strided<[8, 1], offset: ?>>
        %threadB = tc.view %tileB(%tj) <offset = ?, sizes = [2, 4], strides = [16, 2]> : memref<2x8xf32, strided<[16, 1], offset: ?>> to memref<2x4xf32, strided<[16, 2], offset: ?>>
        %tc = affine.apply affine_map<(i, j) -> (16 * i + 8 * j)>(%ti, %tj)
        %threadC = tc.view %results(%tc) <offset = ?, sizes = [2, 4], strides = [4, 1]> : memref<2x2x2x4xf32> to memref<2x4xf32, strided<[4, 1], offset: ?>>
        tc.contract (i = 2, j = 4, k = 2)
          ins(%threadA[i, k] : memref<2x2xf32, strided<[8, 1], offset: ?>>, %threadB[k, j] : memref<2x4xf32, strided<[16, 2], offset: ?>>)
          outs(%threadC[i, j] : memref<2x4xf32, strided<[4, 1], offset: ?>>)
          {schedule = #tc.schedule<thread = [i = 2, j = 2], register = [i = 2, j = 4], step = [k = 2], kernel = fma>}
      }
    }
  }
  return
}

// CHECK-LABEL: @product
// CHECK: tc.new init(0.000000e+00 : f32) threads(2) : memref<2x2x2x4xf32, #gpu.address_space<private>>
// CHECK: %[[A:.*]] = tc.stage {{.*}} to memref<4x2xf32, strided<[{{.*}}, 1]>, #gpu.address_space<workgroup>>
// CHECK: %[[B:.*]] = tc.stage {{.*}} to memref<2x8xf32, strided<[{{.*}}, 1]>, #gpu.address_space<workgroup>>
// CHECK: tc.par block
// CHECK-DAG: tc.view %[[A]]
// CHECK-DAG: tc.view %[[B]]
// CHECK: tc.contract (i = 2, j = 4, k = 2)
