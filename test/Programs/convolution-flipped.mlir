// A convolution as textbooks have it: the window moves against the kernel, in steps of two along
// one dimension. It is a contraction whose kernel is read backwards.
//
// RUN: %run_program %s
// RUN: tc-opt %s --tc-raise | FileCheck %s
// CHECK: memref.subview {{.*}} [-1, -1]
// CHECK: linalg.generic
func.func @flipped(%A: memref<23x17xf32>, %W: memref<5x3xf32>, %Z: memref<10x15xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c5 = arith.constant 5 : index
  %c10 = arith.constant 10 : index
  %c15 = arith.constant 15 : index
  scf.for %i = %c0 to %c10 step %c1 {
    scf.for %j = %c0 to %c15 step %c1 {
      scf.for %k = %c0 to %c5 step %c1 {
        scf.for %l = %c0 to %c3 step %c1 {
          %r = affine.apply affine_map<(i, k) -> (2 * i - k + 4)>(%i, %k)
          %s = affine.apply affine_map<(j, l) -> (j - l + 2)>(%j, %l)
          %x = memref.load %A[%r, %s] : memref<23x17xf32>
          %w = memref.load %W[%k, %l] : memref<5x3xf32>
          %z = memref.load %Z[%i, %j] : memref<10x15xf32>
          %n = math.fma %x, %w, %z : f32
          memref.store %n, %Z[%i, %j] : memref<10x15xf32>
        }
      }
    }
  }
  return
}
