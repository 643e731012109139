// Found by random programs: the reference divided by a step of 0, which upstream's verifier
// lets pass.
//
// RUN: not tc-run %s --device=emulator --verify 2>&1 | FileCheck %s
// CHECK: 'affine.parallel': expected steps of at least 1, got 0

func.func @affine(%A: memref<2x70xf32>) {
  affine.parallel (%i) = (0) to (2) {
    %s = affine.parallel (%j) = (2) to (70) step (0) reduce("addf") -> f32 {
      %x = affine.load %A[%i, %j] : memref<2x70xf32>
      affine.yield %x : f32
    }
  }
  return
}
