// RUN: tc-opt %s --tc-lower-reductions --canonicalize | FileCheck %s

// The sum of each row by the threads of a block: each takes every 256th element, four
// at once, and rounds combine what they have.
func.func @sums(%A: memref<64x1000xf32>, %sums: memref<64xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i) = (0) to (64) {
    tc.reduce block (%j) = (0) to (1000) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<64x1000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%sum: f32) {
      memref.store %sum, %sums[%i] : memref<64xf32>
    }
  }
  return
}

// CHECK-LABEL: @sums
// CHECK: tc.par grid
// CHECK: tc.new : memref<256xf32>
// CHECK: tc.par block (%[[T:.*]]) = (0) to (256) {
// CHECK: tc.seq (%{{.*}}) = (%{{.*}}) to (1000) step (256) init
// CHECK: tc.par block (%{{.*}}) = (0) to (32) {
// CHECK: tc.par block (%{{.*}}) = (0) to (4) {
// CHECK: tc.par block (%{{.*}}) = (0) to (1) {
