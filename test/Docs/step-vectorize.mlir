// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Groups of four columns, and the two that are left over.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @scale(%A: memref<64x34xf32>, %x: memref<64xf32>, %B: memref<64x34xf32>) {
  tc.par (%i, %j) = (0, 0) to (64, 34) {
    %a = memref.load %A[%i, %j] : memref<64x34xf32>
    %s = memref.load %x[%i] : memref<64xf32>
    %n = arith.index_cast %j : index to i32
    %f = arith.sitofp %n : i32 to f32
    %p = arith.mulf %a, %s : f32
    %q = arith.addf %p, %f : f32
    memref.store %q, %B[%i, %j] : memref<64x34xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!op) -> !op
  %vectors, %rest = transform.tc.vectorize %nest dim = 1 width = 4 : (!op) -> (!op, !op)
  transform.yield
}
}

// CHECK: tc.par (%[[i:.*]], %[[j:.*]]) = (0, 0) to (64, 32) step (1, 4) {
// CHECK: vector.load %{{.*}}[%[[i]], %[[j]]] : memref<64x34xf32>, vector<4xf32>
// CHECK: memref.load %{{.*}}[%[[i]]] : memref<64xf32>
// CHECK: vector.store
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (0, 32) to (64, 34) {
// CHECK-NOT: vector
// CHECK: return
