// RUN: tc-opt %s --tc-drop-levels | FileCheck %s

// The threads of all blocks do not need each other.
func.func @f(%A: memref<64xf32>, %B: memref<64xf32>) {
  tc.par device (%i) = (0) to (64) map #tc.map<fold_last2> {
    %a = memref.load %A[%i] : memref<64xf32>
    memref.store %a, %B[%i] : memref<64xf32>
  }
  return
}

// CHECK-LABEL: @f
// CHECK: tc.par (%{{.*}}) = (0) to (64) {
