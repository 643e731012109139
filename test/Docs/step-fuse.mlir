// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// The second nest counts from 1: a shift gives both one space.
module attributes {transform.with_named_sequence} {
func.func @chain(%A: memref<100xf32>, %B: memref<101xf32>, %C: memref<101xf32>) {
  tc.par (%i) = (0) to (100) {
    %x = memref.load %A[%i] : memref<100xf32>
    %y = math.sqrt %x : f32
    %next = affine.apply affine_map<(d) -> (d + 1)>(%i)
    memref.store %y, %B[%next] : memref<101xf32>
  }
  tc.par (%i) = (1) to (101) {
    %x = memref.load %B[%i] : memref<101xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %C[%i] : memref<101xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nests = transform.structured.match ops{["tc.par"]} in %module : (!transform.any_op) -> !transform.any_op
  %roots, %sums = transform.split_handle %nests : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %shifted = transform.tc.shift %sums dim = 0 distance = -1 : (!transform.any_op) -> !transform.any_op
  %fused = transform.tc.fuse %roots, %shifted : (!transform.any_op, !transform.any_op) -> !transform.any_op
  transform.yield
}
}

// CHECK: tc.par (%[[i:.*]]) = (0) to (100) {
// CHECK: memref.store %{{.*}}, %arg1[
// CHECK: memref.store %{{.*}}, %arg2[
// CHECK-NOT: tc.par {{.*}} to
