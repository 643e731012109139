// RUN: tc-opt %s --tc-fuse-nests | FileCheck %s

// The sum of squares of x + 1, with the squares.
func.func @squares(%A: memref<1000xf32>, %C: memref<1000xf32>, %r: memref<f32>) {
  %one = arith.constant 1.0 : f32
  %zero = arith.constant 0.0 : f32
  %t = tc.new : memref<1000xf32>
  tc.par (%i) = (0) to (1000) {
    %x = memref.load %A[%i] : memref<1000xf32>
    %y = arith.addf %x, %one : f32
    memref.store %y, %t[%i] : memref<1000xf32>
  }
  tc.par (%i) = (0) to (1000) {
    %x = memref.load %t[%i] : memref<1000xf32>
    %y = arith.mulf %x, %x : f32
    memref.store %y, %C[%i] : memref<1000xf32>
  }
  tc.reduce (%i) = (0) to (1000) init(%zero : f32) commutative {
    %x = memref.load %C[%i] : memref<1000xf32>
    tc.yield %x : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  return
}

// CHECK-LABEL: @squares
// CHECK-NOT:   tc.par
// CHECK:       tc.reduce (%[[I:.*]]) = (0) to (1000)
// CHECK:         %[[T:.*]] = tc.new : memref<f32>
// CHECK:         memref.store %{{.*}}, %[[T]][]
// CHECK:         %[[X:.*]] = memref.load %[[T]][]
// CHECK:         %[[Y:.*]] = arith.mulf %[[X]], %[[X]]
// CHECK:         memref.store %[[Y]], %{{.*}}[%[[I]]]
