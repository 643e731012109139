// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Two stencils: each block of the second computes the box of the first that it needs.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @stencils(%A: memref<130x130xf32>, %C: memref<128x128xf32>) {
  %B = tc.new : memref<129x129xf32>
  tc.par (%i, %j) = (0, 0) to (129, 129) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %A[%i, %j] : memref<130x130xf32>
    %y = memref.load %A[%below, %right] : memref<130x130xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %B[%i, %j] : memref<129x129xf32>
  }
  tc.par (%i, %j) = (0, 0) to (128, 128) {
    %below = affine.apply affine_map<(d) -> (d + 1)>(%i)
    %right = affine.apply affine_map<(d) -> (d + 1)>(%j)
    %x = memref.load %B[%below, %j] : memref<129x129xf32>
    %y = memref.load %B[%i, %right] : memref<129x129xf32>
    %z = arith.addf %x, %y : f32
    memref.store %z, %C[%i, %j] : memref<128x128xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !op {transform.readonly}) {
  %nests = transform.structured.match ops{["tc.par"]} in %module : (!op) -> !op
  %first, %second = transform.split_handle %nests : (!op) -> (!op, !op)
  %blocks, %threads = transform.tc.tile %second sizes [16, 16] : (!op) -> (!op, !op)
  %box = transform.tc.compute_at %first in %blocks : (!op, !op) -> !op
  transform.tc.bind %blocks grid : !op
  transform.tc.bind %box block : !op
  transform.tc.bind %threads block : !op
  transform.yield
}
}

// CHECK-NOT: tc.par {{.*}}129
// CHECK: tc.par grid (%[[i:.*]], %[[j:.*]]) = (0, 0) to (128, 128) step (16, 16) {
// CHECK: %[[box:.*]] = tc.new : memref<17x17xf32>
// CHECK: tc.par block (%{{.*}}, %{{.*}}) = (%[[i]], %[[j]]) to
// CHECK: memref.store %{{.*}}, %[[box]][
// CHECK: tc.par block
// CHECK: memref.load %[[box]][
// CHECK: memref.load %[[box]][
