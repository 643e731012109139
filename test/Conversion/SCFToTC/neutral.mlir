// Reductions of f8E4M3FN, which has no infinities, begin with its largest or smallest number.
//
// RUN: tc-opt %s --convert-scf-to-tc | FileCheck %s

// CHECK-LABEL: func @least
// CHECK: %[[LARGEST:.*]] = arith.constant 4.480000e+02 : f8E4M3FN
// CHECK: tc.reduce {{.*}} init(%[[LARGEST]] : f8E4M3FN)
func.func @least(%A: memref<8xf8E4M3FN>, %Z: memref<f8E4M3FN>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %init = memref.load %Z[] : memref<f8E4M3FN>
  %r = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%init) -> f8E4M3FN {
    %x = memref.load %A[%i] : memref<8xf8E4M3FN>
    scf.reduce(%x : f8E4M3FN) {
    ^bb0(%a: f8E4M3FN, %b: f8E4M3FN):
      %m = arith.minimumf %a, %b : f8E4M3FN
      scf.reduce.return %m : f8E4M3FN
    }
  }
  memref.store %r, %Z[] : memref<f8E4M3FN>
  return
}

// CHECK-LABEL: func @most
// CHECK: %[[SMALLEST:.*]] = arith.constant -4.480000e+02 : f8E4M3FN
// CHECK: tc.reduce {{.*}} init(%[[SMALLEST]] : f8E4M3FN)
func.func @most(%A: memref<8xf8E4M3FN>, %Z: memref<f8E4M3FN>) {
  %r = affine.parallel (%i) = (0) to (8) reduce("maximumf") -> f8E4M3FN {
    %x = affine.load %A[%i] : memref<8xf8E4M3FN>
    affine.yield %x : f8E4M3FN
  }
  affine.store %r, %Z[] : memref<f8E4M3FN>
  return
}
