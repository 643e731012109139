// Upstream tiling works on tc.contract, and the tiles compute the same.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/tile.mlir \
// RUN:   --transform-interpreter --canonicalize --cse > %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: %check_phases %t.mlir --reference=%s

// Windows overlap: the slice of x is what the tile reaches.
// CHECK-LABEL: @memref
// CHECK: scf.for %[[A:.*]] = %c0 to %c10 step %c4
// CHECK: scf.for %[[Q:.*]] = %c0 to %c6 step %c3
// CHECK: %[[SA:.*]] = affine.min
// CHECK: %[[X:.*]] = memref.subview %arg0[%{{.*}}, %[[Q]]] [%{{.*}}, 3] [1, 1]
// CHECK: %[[Y:.*]] = memref.subview %arg1[%[[Q]], 0] [3, 3]
// CHECK: %[[Z:.*]] = memref.subview %arg2[%[[A]]] [%[[SA]]] [1]
// CHECK: tc.contract (a = %[[SA]], w = 3, q = 3) ins(%[[X]][a * 2 + w, q] : {{.*}}, %[[Y]][q, w * -1 + 2] : {{.*}}) outs(%[[Z]][a] : {{.*}})
func.func @memref(%x: memref<22x6xf32>, %y: memref<6x3xf32>, %z: memref<10xf32>) {
  tc.contract (a = 10, w = 3, q = 6) ins(%x[2 * a + w + 1, q] : memref<22x6xf32>, %y[q, 2 - w] : memref<6x3xf32>)
      outs(%z[a] : memref<10xf32>)
  return
}

// CHECK-LABEL: @tensor
// CHECK: scf.for {{.*}} iter_args
// CHECK: tensor.extract_slice
// CHECK: %[[R:.*]] = tc.contract (a = %{{.*}}, b = 7, q = 3)
// CHECK: tensor.insert_slice %[[R]]
func.func @tensor(%A: tensor<10x6xf32>, %B: tensor<6x7xf32>, %C: tensor<10x7xf32>) -> tensor<10x7xf32> {
  %r = tc.contract (a = 10, b = 7, q = 6) ins(%A[a, q] : tensor<10x6xf32>, %B[q, b] : tensor<6x7xf32>)
      outs(%C[a, b] : tensor<10x7xf32>) -> tensor<10x7xf32>
  return %r : tensor<10x7xf32>
}
