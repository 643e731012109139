// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Tiles of both factors in shared memory, the next ones copied while one is used.
module attributes {transform.with_named_sequence} {
func.func @product(%A: memref<64x96xf32>, %B: memref<96x80xf32>, %C: memref<64x80xf32>) {
  tc.par (%i, %j) = (0, 0) to (64, 80) {
    tc.seq (%k) = (0) to (96) {
      %a = memref.load %A[%i, %k] {factor} : memref<64x96xf32>
      %b = memref.load %B[%k, %j] {factor} : memref<96x80xf32>
      %c = memref.load %C[%i, %j] : memref<64x80xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%i, %j] : memref<64x80xf32>
    }
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!transform.any_op) -> !transform.any_op
  %blocks, %threads = transform.tc.tile %nest sizes [16, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %sum = transform.structured.match ops{["tc.seq"]} in %threads : (!transform.any_op) -> !transform.any_op
  %steps, %terms = transform.tc.tile %sum sizes [16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %loop, %team = transform.tc.interchange %threads order = [2, 0, 1] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %factors = transform.structured.match attributes{factor} in %loop : (!transform.any_op) -> !transform.any_op
  transform.tc.cache %factors in %loop : !transform.any_op, !transform.any_op
  transform.tc.pipeline %loop stages = 2 : !transform.any_op
  transform.tc.bind %blocks grid : !transform.any_op
  transform.tc.bind %team block : !transform.any_op
  transform.yield
}
}

// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (64, 80) step (16, 16) {
// CHECK: tc.seq (%[[k:.*]]) = (0) to (96) step (16) stages(2) {
// CHECK-NEXT: tc.cache %{{.*}} : memref<96x80xf32>
// CHECK-NEXT: tc.cache %{{.*}} : memref<64x96xf32>
// CHECK-NEXT: tc.par block
// CHECK: tc.seq (%{{.*}}) = (%[[k]]) to
