// tc-map looks at numbers of any size, and at as much of a deep nest as of a flat one.
//
// RUN: tc-opt %s --tc-bind --tc-promote --tc-map | FileCheck %s

// CHECK-LABEL: @largest(
// CHECK: tc.par block {{.*}} map #tc.map<
func.func @largest(%A: memref<40xi32>, %B: memref<40xi32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (40) {
      %o = affine.apply affine_map<(k) -> (k mod 9223372036854775807)>(%t)
      %x = memref.load %A[%o] : memref<40xi32>
      memref.store %x, %B[%t] : memref<40xi32>
    }
  }
  return
}

// A loop of more iterations than 64 bits count, round one that counts how far it is.
// CHECK-LABEL: @widest(
// CHECK: tc.par {{.*}} map #tc.map<
func.func @widest(%A: memref<64xf32>, %x: f32) {
  tc.par (%i) = (0) to (64) {
    tc.seq (%k) = (-9223372036854775807) to (9223372036854775807) step (4611686018427387904) {
      %o = affine.apply affine_map<(i, k) -> ((i + k) mod 64)>(%i, %k)
      memref.store %x, %A[%o] : memref<64xf32>
    }
  }
  return
}

// 2^36 iterations of a thread.
// CHECK-LABEL: @deep(
// CHECK: tc.par {{.*}} map #tc.map<
func.func @deep(%A: memref<64xf32>, %x: f32) {
  tc.par (%i) = (0) to (64) {
    tc.seq (%a, %b, %c, %d, %e, %f) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
      tc.seq (%g, %h, %j, %k, %l, %m) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
        tc.seq (%n, %o, %p, %q, %r, %s) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
          tc.seq (%t, %u, %v, %w, %y, %z) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
            tc.seq (%a1, %b1, %c1, %d1, %e1, %f1) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
              tc.seq (%a2, %b2, %c2, %d2, %e2, %f2) = (0, 0, 0, 0, 0, 0) to (2, 2, 2, 2, 2, 2) {
                memref.store %x, %A[%i] : memref<64xf32>
              }
            }
          }
        }
      }
    }
  }
  return
}

// A loop that does not end, and a dimension that there is not.
// CHECK-LABEL: @nowhere(
// CHECK: tc.par {{.*}} map #tc.map<
func.func @nowhere(%A: memref<8x?xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %before = arith.constant -1 : index
  %n = memref.dim %A, %before : memref<8x?xf32>
  scf.for %k = %c0 to %n step %c0 {
    tc.par (%i, %j) = (0, 0) to (8, %n) {
      %o = affine.apply affine_map<(j, k) -> (j + k)>(%j, %k)
      memref.store %x, %A[%i, %o] : memref<8x?xf32>
    }
  }
  return
}
