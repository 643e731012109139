// RUN: tc-opt %s --tc-serialize-host | FileCheck %s

// Each row has a kernel of its own, and no kernel needs another one.
func.func @f(%A: memref<8x64xf32>) {
  tc.par host (%i) = (0) to (8) {
    tc.par device (%j) = (0) to (64) {
      %x = memref.load %A[%i, %j] : memref<8x64xf32>
      %y = math.sqrt %x : f32
      memref.store %y, %A[%i, %j] : memref<8x64xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @f
// CHECK-NEXT: tc.seq (%[[I:.*]]) = (0) to (8) attributes {tc.independent} {
// CHECK-NEXT: tc.par device (%[[J:.*]]) = (0) to (64) {
// CHECK-NEXT: memref.load %{{.*}}[%[[I]], %[[J]]]
