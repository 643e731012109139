// RUN: tc-opt %s --tc-bind | FileCheck %s

// Rows on the blocks of a grid, the elements of a row on the threads of a block: the
// second nest waits for the first. A store between them is for one thread.
func.func @center(%A: memref<64x1000xf32>, %means: memref<64xf32>) {
  tc.par (%i) = (0) to (64) {
    %zero = arith.constant 0.0 : f32
    %sum = tc.seq (%k) = (0) to (1000) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %k] : memref<64x1000xf32>
      %next = arith.addf %s, %a : f32
      tc.yield %next : f32
    }
    %n = arith.constant 1000.0 : f32
    %mean = arith.divf %sum, %n : f32
    memref.store %mean, %means[%i] : memref<64xf32>
    tc.par (%k) = (0) to (1000) {
      %a = memref.load %A[%i, %k] : memref<64x1000xf32>
      %b = arith.subf %a, %mean : f32
      memref.store %b, %A[%i, %k] : memref<64x1000xf32>
    }
  }
  return
}

// CHECK-LABEL: @center
// CHECK: tc.par grid (%{{.*}}) = (0) to (64) {
// CHECK: tc.par block () = () to () {
// CHECK-NEXT: memref.store
// CHECK: tc.par block (%{{.*}}) = (0) to (1000) {
