// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Tiles are numbered, and so are elements of a tile.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @scale(%A: memref<96xf32>) {
  tc.par (%i) = (0) to (96) {
    %x = memref.load %A[%i] : memref<96xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %A[%i] : memref<96xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!op) -> !op
  %tiles, %elements = transform.tc.tile %nest sizes [8] : (!op) -> (!op, !op)
  transform.tc.normalize %tiles : !op
  transform.tc.normalize %elements : !op
  transform.yield
}
}

// CHECK: #[[place:.*]] = affine_map<(d0, d1) -> (d0 + d1 * 8)>
// CHECK: tc.par (%[[t:.*]]) = (0) to (12) {
// CHECK: tc.par (%[[e:.*]]) = (0) to (8) {
// CHECK: %[[i:.*]] = affine.apply #[[place]](%[[e]], %[[t]])
// CHECK: memref.load %{{.*}}[%[[i]]]
