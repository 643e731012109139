// Rows that are too long for shared memory lie in global memory, a part of it for each block.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-promote | FileCheck %s
// CHECK: tc.new : memref<20000xf32, #gpu.address_space<global>>
// CHECK: tc.new : memref<256xf32, #gpu.address_space<workgroup>>
func.func @rows(%A: memref<5x20000xf32>, %B: memref<5x20000xf32>) {
  tc.par (%i) = (0) to (5) {
    %row = tc.new : memref<20000xf32>
    %t = tc.new : memref<256xf32>
    tc.par (%j) = (0) to (20000) {
      %a = memref.load %A[%i, %j] : memref<5x20000xf32>
      memref.store %a, %row[%j] : memref<20000xf32>
    }
    tc.par (%j) = (0) to (256) {
      %a = memref.load %A[%i, %j] : memref<5x20000xf32>
      memref.store %a, %t[%j] : memref<256xf32>
    }
    tc.par (%j) = (0) to (20000) {
      %last = arith.constant 19999 : index
      %k = arith.subi %last, %j : index
      %c = arith.constant 256 : index
      %m = arith.remui %j, %c : index
      %a = memref.load %row[%k] : memref<20000xf32>
      %b = memref.load %t[%m] : memref<256xf32>
      %s = arith.addf %a, %b : f32
      memref.store %s, %B[%i, %j] : memref<5x20000xf32>
    }
  }
  return
}
