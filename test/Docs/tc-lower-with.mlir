// RUN: tc-opt %s --tc-lower-with --canonicalize | FileCheck %s

// One step of a relaxation: the rim stays what it was.
func.func @relax(%A: memref<64xf32>, %B: memref<64xf32>) {
  %half = arith.constant 0.5 : f32
  tc.with %B : memref<64xf32> {
    tc.partition (%i) = (0) to (64) {
      %x = memref.load %A[%i] : memref<64xf32>
      tc.yield %x : f32
    }
    tc.partition (%i) = (1) to (63) {
      %w = affine.apply affine_map<(i) -> (i - 1)>(%i)
      %e = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %x = memref.load %A[%w] : memref<64xf32>
      %y = memref.load %A[%e] : memref<64xf32>
      %sum = arith.addf %x, %y : f32
      %mean = arith.mulf %sum, %half : f32
      tc.yield %mean : f32
    }
  }
  return
}

// CHECK: tc.par (%[[I:.*]]) = (0) to (64) {
// CHECK: %[[FROM:.*]] = arith.cmpi sge, %[[I]], %c1
// CHECK: %[[TO:.*]] = arith.cmpi slt, %[[I]], %c63
// CHECK: %[[INSIDE:.*]] = arith.andi %[[FROM]], %[[TO]]
// CHECK: %[[X:.*]] = scf.if %[[INSIDE]] -> (f32) {
// CHECK: } else {
// CHECK: }
// CHECK: memref.store %[[X]], %{{.*}}[%[[I]]]
