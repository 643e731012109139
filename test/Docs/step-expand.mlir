// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// The nests of a matrix product: 16 x 16 results a block, whose threads have a term each at a time.
module attributes {transform.with_named_sequence} {
func.func @product(%A: memref<64x32xf32>, %B: memref<32x48xf32>, %C: memref<64x48xf32>) {
  tc.contract (i = 64, j = 48, k = 32)
    ins(%A[i, k] : memref<64x32xf32>, %B[k, j] : memref<32x48xf32>)
    outs(%C[i, j] : memref<64x48xf32>)
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %product = transform.structured.match ops{["tc.contract"]} in %module : (!transform.any_op) -> !transform.any_op
  %results, %terms = transform.tc.expand %product : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %blocks, %threads = transform.tc.tile %results sizes [16, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  transform.tc.bind %blocks grid : !transform.any_op
  transform.tc.bind %threads block : !transform.any_op
  transform.yield
}
}

// CHECK: tc.par grid (%[[i:.*]], %[[j:.*]]) = (0, 0) to (64, 48) step (16, 16) {
// CHECK: tc.par block (%[[ii:.*]], %[[jj:.*]]) = (%[[i]], %[[j]]) to
// CHECK-NEXT: tc.seq (%[[k:.*]]) = (0) to (32) {
// CHECK-DAG: %[[a:.*]] = memref.load %{{.*}}[%[[ii]], %[[k]]] : memref<64x32xf32>
// CHECK-DAG: %[[b:.*]] = memref.load %{{.*}}[%[[k]], %[[jj]]] : memref<32x48xf32>
// CHECK-DAG: %[[c:.*]] = memref.load %[[C:.*]][%[[ii]], %[[jj]]] : memref<64x48xf32>
// CHECK: %[[sum:.*]] = math.fma %[[a]], %[[b]], %[[c]] : f32
// CHECK-NEXT: memref.store %[[sum]], %[[C]][%[[ii]], %[[jj]]] : memref<64x48xf32>
