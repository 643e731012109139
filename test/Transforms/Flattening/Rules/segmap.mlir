// Segmap: map (map e) is one parallel construct over both index spaces, with e as a thread's code.
//
// RUN: tc-opt %s --tc-bind | FileCheck %s
// RUN: %check_phases %s tc-flatten tc-bind
//
// CHECK: tc.par device (%[[I:.*]], %[[J:.*]]) = (0, 0) to (20, 30) {
// CHECK-NOT: tc.par
// CHECK: memref.store %{{.*}}, %arg1[%[[I]], %[[J]]]
func.func @segmap(%A: memref<20x30xf32>, %B: memref<20x30xf32>) {
  tc.par (%i) = (0) to (20) {
    tc.par (%j) = (0) to (30) {
      %x = memref.load %A[%i, %j] : memref<20x30xf32>
      %y = arith.addf %x, %x : f32
      memref.store %y, %B[%i, %j] : memref<20x30xf32>
    }
  }
  return
}
