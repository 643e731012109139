// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Rows are of blocks and elements of threads; each thread has eight of them, in one body.
module attributes {transform.with_named_sequence} {
func.func @negate(%A: memref<64x1024xf32>) {
  tc.par (%i, %j) = (0, 0) to (64, 1024) {
    %x = memref.load %A[%i, %j] : memref<64x1024xf32>
    %y = arith.negf %x : f32
    memref.store %y, %A[%i, %j] : memref<64x1024xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %nest = transform.structured.match ops{["tc.par"]} in %module : (!transform.any_op) -> !transform.any_op
  %rows, %row = transform.tc.tile %nest sizes [1, 0] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %threads, %elements = transform.tc.tile %row sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %loop = transform.tc.serialize %elements : (!transform.any_op) -> !transform.any_op
  transform.tc.unroll %loop factor [8] : !transform.any_op
  transform.tc.bind %rows grid : !transform.any_op
  transform.tc.bind %threads block : !transform.any_op
  transform.tc.map %threads {mapping = #tc.map<shift_lb, compress_grid(1), split_last(64)>} : !transform.any_op
  transform.yield
}
}

// CHECK: tc.par grid (%{{.*}}) = (0) to (64) {
// CHECK: tc.par block (%[[j:.*]]) = (0) to (1024) step (8) map #tc.map
// CHECK: tc.seq (%{{.*}}) = (%[[j]]) to (%{{.*}}) unroll(8)
