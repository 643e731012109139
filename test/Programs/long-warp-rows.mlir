// Warps whose rows are too long together for shared memory.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-bind --tc-promote | FileCheck %s
// CHECK: tc.new init(1.000000e+00 : f32) : memref<8000xf32, #gpu.address_space<global>>
func.func @warps(%A: memref<16x8000xf32>, %B: memref<16x8000xf32>) {
  tc.par grid (%g) = (0) to (2) {
    tc.par block (%w) = (0) to (8) {
      %row = tc.new init(1.0 : f32) : memref<8000xf32>
      %c8 = arith.constant 8 : index
      %base = arith.muli %g, %c8 : index
      %i = arith.addi %base, %w : index
      tc.par warp (%l) = (0) to (7990) {
        %k = affine.apply affine_map<(d0) -> (7989 - d0)>(%l)
        %a = memref.load %A[%i, %l] : memref<16x8000xf32>
        memref.store %a, %row[%k] : memref<8000xf32>
      }
      tc.par warp (%l) = (0) to (8000) {
        %last = arith.constant 7999 : index
        %k = arith.subi %last, %l : index
        %a = memref.load %row[%k] : memref<8000xf32>
        memref.store %a, %B[%i, %l] : memref<16x8000xf32>
      }
    }
  }
  return
}
