// RUN: tc-opt %s --tc-unroll | FileCheck %s

#private = #gpu.address_space<private>

func.func @largest(%A: memref<64x8xf32>, %B: memref<64xf32>) {
  %low = arith.constant 0xFF800000 : f32
  tc.par device (%i) = (0) to (64) {
    %b = tc.new : memref<8xf32, #private>
    tc.par thread (%k) = (0) to (8) {
      %x = memref.load %A[%i, %k] : memref<64x8xf32>
      memref.store %x, %b[%k] : memref<8xf32, #private>
    }
    %m = tc.seq (%k) = (0) to (8) init(%c = %low : f32) {
      %x = memref.load %b[%k] : memref<8xf32, #private>
      %n = arith.maximumf %c, %x : f32
      tc.yield %n : f32
    }
    memref.store %m, %B[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: func.func @largest
// CHECK: tc.par device
// CHECK: tc.seq (%{{.*}}) = (0) to (8) unroll(8) {
// CHECK: tc.seq (%{{.*}}) = (0) to (8) init(%{{.*}} = %{{.*}} : f32) unroll(8) {
