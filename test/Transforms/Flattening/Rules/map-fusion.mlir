// Map fusion: map f . map g => map (f . g). Each iteration of the second nest reads what the
// same one of the first has written.
//
// RUN: tc-opt %s --tc-fuse-nests | FileCheck %s
// RUN: %check_phases %s tc-fuse-nests
//
// CHECK: tc.par (%[[I:.*]]) = (0) to (100) {
// CHECK: arith.addf
// CHECK: arith.mulf
// CHECK: memref.store %{{.*}}, %arg1[%[[I]]]
// CHECK-NOT: tc.par
func.func @fusion(%A: memref<100xf32>, %B: memref<100xf32>) {
  %between = memref.alloc() : memref<100xf32>
  tc.par (%i) = (0) to (100) {
    %x = memref.load %A[%i] : memref<100xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %between[%i] : memref<100xf32>
  }
  tc.par (%i) = (0) to (100) {
    %y = memref.load %between[%i] : memref<100xf32>
    %z = arith.mulf %y, %y : f32
    memref.store %z, %B[%i] : memref<100xf32>
  }
  memref.dealloc %between : memref<100xf32>
  return
}
