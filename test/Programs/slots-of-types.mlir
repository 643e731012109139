// Numbers of different types lie in the same shared memory, one after the other.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-promote | FileCheck %s
// CHECK: tc.new slot(0) : memref<2000xf64, #gpu.address_space<workgroup>>
// CHECK: tc.new slot(0) : memref<2001xi16, #gpu.address_space<workgroup>>
func.func @types(%A: memref<3x2000xf64>, %B: memref<3x2000xf32>) {
  tc.par (%i) = (0) to (3) {
    %u = tc.new : memref<2000xf64>
    %v = tc.new : memref<2000xf32>
    %w = tc.new : memref<2001xi16>
    tc.par (%j) = (0) to (2000) {
      %a = memref.load %A[%i, %j] : memref<3x2000xf64>
      memref.store %a, %u[%j] : memref<2000xf64>
    }
    %sum = tc.new : memref<2000xf32>
    tc.par (%j) = (0) to (2000) {
      %last = arith.constant 1999 : index
      %k = arith.subi %last, %j : index
      %a = memref.load %u[%k] : memref<2000xf64>
      %f = arith.truncf %a : f64 to f32
      memref.store %f, %v[%j] : memref<2000xf32>
    }
    tc.par (%j) = (0) to (2000) {
      %last = arith.constant 1999 : index
      %k = arith.subi %last, %j : index
      %a = memref.load %v[%k] : memref<2000xf32>
      %c = arith.fptosi %a : f32 to i16
      memref.store %c, %w[%j] : memref<2001xi16>
    }
    tc.par (%j) = (0) to (2000) {
      %last = arith.constant 1999 : index
      %k = arith.subi %last, %j : index
      %a = memref.load %w[%k] : memref<2001xi16>
      %f = arith.sitofp %a : i16 to f32
      memref.store %f, %B[%i, %j] : memref<3x2000xf32>
    }
  }
  return
}
