// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Of the rows of a running average two are kept, in turns, and squares lie where
// results will be.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @rows(%A: memref<64x32xf32>, %C: memref<64x32xf32>) {
  %half = arith.constant 0.5 : f32
  %B = tc.new init(0.0 : f32) : memref<64x32xf32>
  %D = tc.new : memref<64x32xf32>
  tc.par (%j) = (0) to (32) {
    tc.seq (%i) = (1) to (64) {
      %above = affine.apply affine_map<(d) -> (d - 1)>(%i)
      %x = memref.load %A[%i, %j] : memref<64x32xf32>
      %y = memref.load %B[%above, %j] : memref<64x32xf32>
      %z = arith.addf %x, %y : f32
      %w = arith.mulf %z, %half : f32
      memref.store %w, %B[%i, %j] : memref<64x32xf32>
      %s = arith.mulf %w, %w : f32
      memref.store %s, %D[%i, %j] : memref<64x32xf32>
    }
  }
  tc.par (%i, %j) = (1, 0) to (64, 32) {
    %x = memref.load %D[%i, %j] : memref<64x32xf32>
    %y = math.sqrt %x : f32
    memref.store %y, %C[%i, %j] {result} : memref<64x32xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !op {transform.readonly}) {
  %buffers = transform.structured.match ops{["tc.new"]} in %module : (!op) -> !op
  %B, %D = transform.split_handle %buffers : (!op) -> (!op, !op)
  transform.tc.store_in %B layout = affine_map<(i, j) -> (i mod 2, j)> : !op
  %store = transform.structured.match attributes{result} in %module : (!op) -> !op
  %C = transform.get_operand %store[1] : (!op) -> !transform.any_value
  transform.tc.store_in %D in %C : !op, !transform.any_value
  transform.yield
}
}

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %{{.*}}: memref<64x32xf32>, %[[C:.*]]: memref<64x32xf32>)
// CHECK: %[[B:.*]] = tc.new init({{.*}}) : memref<2x32xf32>
// CHECK-NOT: tc.new
// CHECK: memref.store %{{.*}}, %[[B]][
// CHECK: memref.store %{{.*}}, %[[C]][
// CHECK: memref.load %[[C]][
// CHECK: memref.store %{{.*}}, %[[C]][
