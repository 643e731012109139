// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// The chain stays a loop; the squares run in parallel.
module attributes {transform.with_named_sequence} {
func.func @parts(%A: memref<100xf32>, %B: memref<100xf32>) {
  tc.seq (%i) = (1) to (100) {
    %before = affine.apply affine_map<(d) -> (d - 1)>(%i)
    %x = memref.load %A[%before] : memref<100xf32>
    %y = math.exp %x : f32
    memref.store %y, %A[%i] : memref<100xf32>
    %z = memref.load %A[%i] {second} : memref<100xf32>
    %w = arith.mulf %z, %z : f32
    memref.store %w, %B[%i] : memref<100xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !transform.any_op {transform.readonly}) {
  %cut = transform.structured.match attributes{second} in %module : (!transform.any_op) -> !transform.any_op
  %chain, %squares = transform.tc.distribute before %cut : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
  %parallel = transform.tc.parallelize %squares : (!transform.any_op) -> !transform.any_op
  transform.yield
}
}

// CHECK: tc.seq (%{{.*}}) = (1) to (100) {
// CHECK: memref.store %{{.*}}, %arg0
// CHECK: tc.par (%{{.*}}) = (1) to (100) {
// CHECK: memref.store %{{.*}}, %arg1
