// RUN: tc-opt %s --tc-bind --tc-cache | FileCheck %s

// The tile, and a halo of one element on either side.
func.func @stencil(%A: memref<1000xf32>, %B: memref<1000xf32>) {
  tc.par (%i) = (0) to (1000) step (250) {
    tc.cache %A : memref<1000xf32>
    tc.par (%t) = (1) to (249) {
      %l = affine.apply affine_map<(i, t) -> (i + t - 1)>(%i, %t)
      %c = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      %r = affine.apply affine_map<(i, t) -> (i + t + 1)>(%i, %t)
      %a = memref.load %A[%l] : memref<1000xf32>
      %b = memref.load %A[%r] : memref<1000xf32>
      %sum = arith.addf %a, %b : f32
      memref.store %sum, %B[%c] : memref<1000xf32>
    }
  }
  return
}

// CHECK-LABEL: @stencil
// CHECK: %[[PART:.*]] = memref.subview %{{.*}}[%{{.*}}] [250] [1]
// CHECK: %[[COPY:.*]] = tc.stage %[[PART]] {{.*}} to memref<250xf32, strided<[1]>, #gpu.address_space<workgroup>>
// CHECK: memref.load %[[COPY]][%{{.*}}]
// CHECK: memref.load %[[COPY]][%{{.*}}]
