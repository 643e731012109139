// A nest without iterations is dropped with all that is in it, from its end: ops in it use
// each other.
//
// RUN: tc-opt %s --tc-map --tc-sync --convert-tc-to-gpu | FileCheck %s
// CHECK-LABEL: @few(
// CHECK: gpu.launch
// CHECK-NOT: arith.addf
// CHECK: memref.store
// CHECK-NOT: arith.addf
// CHECK: gpu.terminator

func.func @few(%A: memref<8xf32>, %one: f32) {
  tc.par grid (%g) = (0) to (8) {
    tc.par block (%t) = (0) to (0) {
      %x = memref.load %A[%g] : memref<8xf32>
      %y = arith.addf %x, %one : f32
      %z = arith.addf %y, %x : f32
      memref.store %z, %A[%g] : memref<8xf32>
    }
    tc.par block (%t) = (0) to (1) {
      memref.store %one, %A[%g] : memref<8xf32>
    }
  }
  return
}
