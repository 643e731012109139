// RUN: tc-opt %s --tc-map-host=vector-bits=512 --canonicalize | FileCheck %s

// A recurrence along each column of a matrix: rows are far apart, and columns are neighbours. Tasks
// have 1024 columns each, which go down four rows at a time; what they carry is in a buffer.
func.func @f(%A: memref<1000x4096xf32>, %B: memref<1000x4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %decay = arith.constant 0.75 : f32
  tc.par (%j) = (0) to (4096) {
    tc.seq (%i) = (0) to (1000) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %j] : memref<1000x4096xf32>
      %d = arith.mulf %s, %decay : f32
      %n = arith.addf %d, %x : f32
      memref.store %n, %B[%i, %j] : memref<1000x4096xf32>
      tc.yield %n : f32
    }
  }
  return
}

// CHECK-LABEL: @f
// CHECK: scf.parallel (%[[TASK:.*]]) = (%{{.*}}) to (%c4)
// CHECK:   %[[FIRST:.*]] = arith.muli %[[TASK]], %c1024
// CHECK:   tc.par (%[[PART:.*]]) = (%[[FIRST]]) to (%{{.*}}) step (1024) {
// CHECK:     %[[S:.*]] = memref.alloca() : memref<1024xf32>
// CHECK:     tc.par
// CHECK:       memref.store %cst{{.*}}, %[[S]]
// CHECK:     tc.seq (%[[I:.*]]) = (0) to (1000) step (4) {
// CHECK:       tc.par (%[[J:.*]]) = (%[[PART]]) to
// CHECK:         memref.load %[[S]]
// CHECK:         %[[X:.*]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK-COUNT-3: memref.load %arg0
// CHECK:         memref.store %{{.*}}, %[[S]]
// CHECK-NOT: tc.seq
// CHECK: } {tc.distinct}
