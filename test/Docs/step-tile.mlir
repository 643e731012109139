// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Tiles of 16 x 32 elements, the last ones cut off.
module attributes {transform.with_named_sequence} {
func.func @negate(%A: memref<100x200xf32>) {
  tc.par (%i, %j) = (0, 0) to (100, 200) {
    %x = memref.load %A[%i, %j] : memref<100x200xf32>
    %y = arith.negf %x : f32
    memref.store %y, %A[%i, %j] : memref<100x200xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!transform.any_op) -> !transform.any_op
  %tiles, %places = transform.tc.tile %nest sizes [16, 32] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.yield
}
}

// CHECK: tc.par (%[[i:.*]], %[[j:.*]]) = (0, 0) to (100, 200) step (16, 32) {
// CHECK: %[[end:.*]] = affine.min
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (%[[i]], %[[j]]) to (%[[end]], %{{.*}}) {
