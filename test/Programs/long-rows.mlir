// Rows that are too long for shared memory lie in global memory, a part of it for each block.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-promote | FileCheck %s
// CHECK: tc.new : memref<60000xf32, #gpu.address_space<global>>
// CHECK: tc.new : memref<256xf32, #gpu.address_space<workgroup>>
func.func @rows(%A: memref<2x60000xf32>, %B: memref<2x60000xf32>) {
  tc.par (%i) = (0) to (2) {
    %row = tc.new : memref<60000xf32>
    %t = tc.new : memref<256xf32>
    tc.par (%j) = (0) to (60000) {
      %a = memref.load %A[%i, %j] : memref<2x60000xf32>
      memref.store %a, %row[%j] : memref<60000xf32>
    }
    tc.par (%j) = (0) to (256) {
      %a = memref.load %A[%i, %j] : memref<2x60000xf32>
      memref.store %a, %t[%j] : memref<256xf32>
    }
    tc.par (%j) = (0) to (60000) {
      %last = arith.constant 59999 : index
      %k = arith.subi %last, %j : index
      %c = arith.constant 256 : index
      %m = arith.remui %j, %c : index
      %a = memref.load %row[%k] : memref<60000xf32>
      %b = memref.load %t[%m] : memref<256xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %B[%i, %j] : memref<2x60000xf32>
    }
  }
  return
}
