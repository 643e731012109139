// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// From the last row to the first, one after the other.
module attributes {transform.with_named_sequence} {
func.func @suffixes(%A: memref<8x32xi32>, %B: memref<8x32xi32>) {
  tc.par (%i, %j) = (0, 0) to (8, 32) {
    %x = memref.load %A[%i, %j] : memref<8x32xi32>
    memref.store %x, %B[%i, %j] : memref<8x32xi32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!transform.any_op) -> !transform.any_op
  %reversed = transform.tc.reverse %nest dim = 0 : (!transform.any_op) -> !transform.any_op
  %serial = transform.tc.serialize %reversed : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// CHECK: #[[map:.*]] = affine_map<(d0) -> (-d0 + 7)>
// CHECK: tc.seq (%[[i:.*]], %[[j:.*]]) = (0, 0) to (8, 32) {
// CHECK: affine.apply #[[map]](%[[i]])
