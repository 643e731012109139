// Rearrange: a transposition in a map is a view with other strides, and moves nothing: the maps round
// it are one index space.
//
// RUN: tc-opt %s --tc-bind | FileCheck %s
// RUN: %check_phases %s tc-flatten tc-bind
//
// CHECK: tc.par device (%[[I:.*]], %[[J:.*]], %[[K:.*]]) = (0, 0, 0) to (4, 20, 30) {
// CHECK-NOT: tc.par
// CHECK: memref.load %{{.*}}[%[[J]], %[[K]]] : memref<20x30xf32, strided<[1, 20], offset: ?>>
func.func @rearrange(%A: memref<4x30x20xf32>, %B: memref<4x20x30xf32>) {
  tc.par (%i) = (0) to (4) {
    %a = memref.subview %A[%i, 0, 0] [1, 30, 20] [1, 1, 1]
      : memref<4x30x20xf32> to memref<30x20xf32, strided<[20, 1], offset: ?>>
    %t = memref.transpose %a (j, k) -> (k, j)
      : memref<30x20xf32, strided<[20, 1], offset: ?>> to memref<20x30xf32, strided<[1, 20], offset: ?>>
    tc.par (%j, %k) = (0, 0) to (20, 30) {
      %x = memref.load %t[%j, %k] : memref<20x30xf32, strided<[1, 20], offset: ?>>
      memref.store %x, %B[%i, %j, %k] : memref<4x20x30xf32>
    }
  }
  return
}
