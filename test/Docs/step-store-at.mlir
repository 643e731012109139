// RUN: tc-opt %s --transform-interpreter | FileCheck %s

// Two nests become blocks with a buffer each, which shared memory may hold.
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @chain(%A: memref<128x64xf32>, %B: memref<64x128xf32>) {
  %T = tc.new : memref<128x64xf32>
  tc.par (%i, %j) = (0, 0) to (128, 64) {
    %x = memref.load %A[%i, %j] : memref<128x64xf32>
    %y = math.sqrt %x : f32
    memref.store %y, %T[%i, %j] : memref<128x64xf32>
  }
  tc.par (%i, %j) = (0, 0) to (128, 64) {
    %x = memref.load %T[%i, %j] : memref<128x64xf32>
    memref.store %x, %B[%j, %i] : memref<64x128xf32>
  }
  return
}
transform.named_sequence @__transform_main(%module: !op {transform.readonly}) {
  %nests = transform.structured.match ops{["tc.par"]} in %module : (!op) -> !op
  %tiles, %elements = transform.tc.tile %nests sizes [16, 16] : (!op) -> (!op, !op)
  %first, %second = transform.split_handle %tiles : (!op) -> (!op, !op)
  %blocks = transform.tc.fuse %first, %second : (!op, !op) -> !op
  %T = transform.structured.match ops{["tc.new"]} in %module : (!op) -> !op
  %part = transform.tc.store_at %T in %blocks : (!op, !op) -> !op
  transform.tc.bind %blocks grid : !op
  transform.yield
}
}

// CHECK-NOT: tc.new
// CHECK: tc.par grid (%{{.*}}, %{{.*}}) = (0, 0) to (128, 64) step (16, 16) {
// CHECK: %[[T:.*]] = tc.new : memref<16x16xf32>
// CHECK: memref.store %{{.*}}, %[[T]][
// CHECK: memref.load %[[T]][
