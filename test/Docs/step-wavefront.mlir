// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Each element needs its neighbours above and to the left. Elements of one diagonal do
// not need each other.
module attributes {transform.with_named_sequence} {
func.func @paths(%A: memref<64x64xi32>) {
  tc.seq (%i, %j) = (1, 1) to (64, 64) {
    %up = affine.apply affine_map<(d) -> (d - 1)>(%i)
    %left = affine.apply affine_map<(d) -> (d - 1)>(%j)
    %x = memref.load %A[%up, %j] : memref<64x64xi32>
    %y = memref.load %A[%i, %left] : memref<64x64xi32>
    %z = arith.addi %x, %y : i32
    memref.store %z, %A[%i, %j] : memref<64x64xi32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.seq"]} in %module : (!transform.any_op) -> !transform.any_op
  %rows, %skewed = transform.tc.skew %nest dim = 1 by = 0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %diagonals, %elements = transform.tc.interchange %rows order = [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %parallel = transform.tc.parallelize %elements : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// CHECK: tc.seq (%[[d:.*]]) = (2) to (127) {
// CHECK: %[[first:.*]] = affine.max #{{.*}}(%[[d]])
// CHECK: %[[end:.*]] = affine.min #{{.*}}(%[[d]])
// CHECK: tc.par (%{{.*}}) = (%[[first]]) to (%[[end]]) {
