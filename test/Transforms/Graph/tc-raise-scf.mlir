// tc-raise on a program without ops of tc.
//
// RUN: tc-opt %s --tc-raise | FileCheck %s
// CHECK: linalg.fill
// CHECK-COUNT-2: linalg.generic
// CHECK-NOT: scf.for
func.func @f(%A: memref<8x9xf32>, %Z: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %z = arith.constant 0.5 : f32
  scf.for %i = %c0 to %c8 step %c1 {
    %s = scf.for %k = %c0 to %c9 step %c1 iter_args(%a = %z) -> f32 {
      %x = memref.load %A[%i, %k] : memref<8x9xf32>
      %n = arith.addf %a, %x : f32
      scf.yield %n : f32
    }
    %m = arith.mulf %s, %z : f32
    memref.store %m, %Z[%i] : memref<8xf32>
  }
  return
}
