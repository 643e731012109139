// Listing 4.1: two stencils, the first one stored where the second one's result
// will be.
//
// RUN: tc-opt %s --transform-preload-library=transform-library-paths=%S/Inputs/listing-4.1.mlir \
// RUN:   --transform-interpreter | FileCheck %s
func.func @stencils(%A: memref<129x129xf32>, %C: memref<128x128xf32>) {
  %B = tc.new : memref<128x128xf32>
  tc.seq (%i, %j) = (0, 0) to (128, 128) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %A[%i, %j] : memref<129x129xf32>
    %y = memref.load %A[%below, %right] : memref<129x129xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %B[%i, %j] : memref<128x128xf32>
  }
  tc.seq (%i, %j) = (0, 0) to (127, 127) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %B[%below, %j] : memref<128x128xf32>
    %y = memref.load %B[%i, %right] : memref<128x128xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %C[%i, %j] {C} : memref<128x128xf32>
  }
  return
}

// CHECK-NOT: tc.new
// CHECK: memref.load %[[A:.*]][{{.*}}] : memref<129x129xf32>
// CHECK: memref.store %{{.*}}, %[[C:.*]][{{.*}}] : memref<128x128xf32>
// CHECK: memref.load %[[C]][
// CHECK: memref.load %[[C]][
// CHECK: memref.store %{{.*}}, %[[C]][
