// RUN: tc-opt %s --convert-copy-to-linalg | FileCheck %s

func.func @transpose(%x: memref<4x8xf32>, %z: memref<4x8xf32, strided<[1, 4]>>) {
  // CHECK: linalg.generic
  // CHECK-SAME: ins(%{{.*}} : memref<4x8xf32>) outs(%{{.*}} : memref<4x8xf32, strided<[1, 4]>>)
  // CHECK-NOT: memref.copy
  memref.copy %x, %z : memref<4x8xf32> to memref<4x8xf32, strided<[1, 4]>>
  return
}
