// Redomap: reduce op . map f => redomap op f. What a map hands to a reduction is computed there.
//
// RUN: tc-opt %s --tc-fuse-nests | FileCheck %s
// RUN: %check_phases %s tc-fuse-nests
//
// CHECK-NOT: tc.par
// CHECK: tc.reduce (%[[I:.*]]) = (0) to (100)
// CHECK: %[[X:.*]] = memref.load %arg0[%[[I]]]
// CHECK: arith.mulf %[[X]], %[[X]]
// CHECK: combine
func.func @redomap(%A: memref<100xf32>, %r: memref<f32>) {
  %squares = memref.alloc() : memref<100xf32>
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (100) {
    %x = memref.load %A[%i] : memref<100xf32>
    %y = arith.mulf %x, %x : f32
    memref.store %y, %squares[%i] : memref<100xf32>
  }
  tc.reduce (%i) = (0) to (100) init(%zero : f32) commutative {
    %y = memref.load %squares[%i] : memref<100xf32>
    tc.yield %y : f32
  } combine (%a: f32, %b: f32) {
    %s = arith.addf %a, %b : f32
    tc.yield %s : f32
  } finish (%s: f32) {
    memref.store %s, %r[] : memref<f32>
  }
  memref.dealloc %squares : memref<100xf32>
  return
}
