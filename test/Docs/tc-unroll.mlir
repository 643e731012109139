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

#workgroup = #gpu.address_space<workgroup>

// Rows begin at multiples of 16 bytes: four elements are read at once, in one body with the others.
func.func @rows(%A: memref<8x32xf32>, %B: memref<8xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid () = () to () {
    %s = tc.new : memref<8x32xf32, strided<[36, 1]>, #workgroup>
    tc.par block (%i, %k) = (0, 0) to (8, 32) {
      %x = memref.load %A[%i, %k] : memref<8x32xf32>
      memref.store %x, %s[%i, %k] : memref<8x32xf32, strided<[36, 1]>, #workgroup>
    }
    tc.par block (%i) = (0) to (8) {
      %t = tc.seq (%k) = (0) to (32) init(%c = %zero : f32) {
        %x = memref.load %s[%i, %k] : memref<8x32xf32, strided<[36, 1]>, #workgroup>
        %n = arith.addf %c, %x : f32
        tc.yield %n : f32
      }
      memref.store %t, %B[%i] : memref<8xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @rows
// CHECK: tc.seq (%{{.*}}) = (0) to (32) init(%{{.*}} = %{{.*}} : f32) unroll(32) {
