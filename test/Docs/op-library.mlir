// RUN: tc-opt %s | tc-opt | FileCheck %s

// C = 2 A B of matrices that lie by rows: by columns, C^T = 2 B^T A^T.
func.func @product(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  %workspace = memref.alloc() : memref<1024xi8>
  // CHECK: tc.library_product %{{.*}}, %{{.*}}, %{{.*}} into %{{.*}} using %{{.*}} extents [48, 64, 32, 1] leading [48, 32, 48, 48] strides [0, 0, 0, 0] transposed [false, false] alpha [2.000000e+00, 0.000000e+00] beta [0.000000e+00, 0.000000e+00] :
  %done = tc.library_product %B, %A, %C into %C using %workspace
    extents [48, 64, 32, 1] leading [48, 32, 48, 48] strides [0, 0, 0, 0]
    transposed [false, false] alpha [2.0, 0.0] beta [0.0, 0.0]
    : memref<32x48xf32>, memref<64x32xf32>, memref<64x48xf32> into memref<64x48xf32>
      using memref<1024xi8>
  memref.dealloc %workspace : memref<1024xi8>
  return
}
