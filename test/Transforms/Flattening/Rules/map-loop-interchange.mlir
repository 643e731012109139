// Map-loop interchange: map (loop f) => loop (map f), where the bounds of the loop do not vary.
//
// RUN: tc-opt %s --tc-flatten=version=device | FileCheck %s
// RUN: %check_phases %s tc-flatten=version=device
//
// CHECK: tc.seq (%[[T:.*]]) = (0) to (6) {
// CHECK-NEXT: tc.par (%[[I:.*]], %[[J:.*]]) = (0, 0) to (4, 500) {
// CHECK-NOT: tc.seq
// CHECK: memref.store %{{.*}}, %arg0[%[[I]], %[[J]]]
func.func @interchange(%X: memref<4x500xf32>) {
  tc.par (%i) = (0) to (4) {
    tc.seq (%t) = (0) to (6) {
      tc.par (%j) = (0) to (500) {
        %x = memref.load %X[%i, %j] : memref<4x500xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %X[%i, %j] : memref<4x500xf32>
      }
    }
  }
  return
}
