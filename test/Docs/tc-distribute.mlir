// RUN: tc-opt %s --tc-distribute | FileCheck %s

// A product for each of four pairs of matrices is one with a batch.
func.func @batch(%A: memref<4x64x32xf32>, %B: memref<4x32x16xf32>, %C: memref<4x64x16xf32>) {
  tc.par (%l) = (0) to (4) {
    %a = memref.subview %A[%l, 0, 0] [1, 64, 32] [1, 1, 1]
        : memref<4x64x32xf32> to memref<64x32xf32, strided<[32, 1], offset: ?>>
    %b = memref.subview %B[%l, 0, 0] [1, 32, 16] [1, 1, 1]
        : memref<4x32x16xf32> to memref<32x16xf32, strided<[16, 1], offset: ?>>
    %c = memref.subview %C[%l, 0, 0] [1, 64, 16] [1, 1, 1]
        : memref<4x64x16xf32> to memref<64x16xf32, strided<[16, 1], offset: ?>>
    tc.contract (i = 64, j = 16, k = 32)
        ins(%a[i, k] : memref<64x32xf32, strided<[32, 1], offset: ?>>,
            %b[k, j] : memref<32x16xf32, strided<[16, 1], offset: ?>>)
        outs(%c[i, j] : memref<64x16xf32, strided<[16, 1], offset: ?>>)
  }
  return
}

// CHECK-LABEL: @batch
// CHECK-NOT:   tc.par
// CHECK:       tc.contract (p = 4, i = 64, j = 16, k = 32)
// CHECK-SAME:    ins(%{{.*}}[p, i, k] : memref<4x64x32xf32>, %{{.*}}[p, k, j] : memref<4x32x16xf32>)
// CHECK-SAME:    outs(%{{.*}}[p, i, j] : memref<4x64x16xf32>)
