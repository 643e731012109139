// A copy reads: what is copied out of an argument that is written later is what it was before.
//
// RUN: tc-run %s --verify --device=emulator | FileCheck %s
// CHECK: verified
func.func @shifted(%A: memref<8xf32>, %B: memref<8xf32>) {
  memref.copy %A, %B : memref<8xf32> to memref<8xf32>
  tc.par (%i) = (0) to (8) {
    %one = arith.constant 1.0 : f32
    memref.store %one, %A[%i] : memref<8xf32>
  }
  return
}
