// RUN: tc-opt %s --tc-inline | FileCheck %s

func.func private @square(%x: f32) -> f32 {
  %y = arith.mulf %x, %x : f32
  return %y : f32
}
func.func private @row(%A: memref<8x64xf32>, %r: index) {
  tc.par (%i) = (0) to (64) {
    %j = affine.apply affine_map<(i) -> (63 - i)>(%i)
    %x = memref.load %A[%r, %j] : memref<8x64xf32>
    %y = func.call @square(%x) : (f32) -> f32
    memref.store %y, %A[%r, %j] : memref<8x64xf32>
  }
  return
}
func.func @rows(%A: memref<8x64xf32>) {
  tc.par (%r) = (0) to (8) {
    func.call @row(%A, %r) : (memref<8x64xf32>, index) -> ()
  }
  return
}

// CHECK-NOT: func.func private
// CHECK: func.func @rows
// CHECK: tc.par (%[[R:.*]]) = (0) to (8) {
// CHECK-NEXT: tc.par (%[[I:.*]]) = (0) to (64) {
// CHECK-NEXT: %[[J:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-NEXT: %[[X:.*]] = memref.load %{{.*}}[%[[R]], %[[J]]]
// CHECK-NEXT: arith.mulf %[[X]], %[[X]]
