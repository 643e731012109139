// RUN: tc-opt %s --tc-map-host=vector-bits=512 --canonicalize | FileCheck %s

// A recurrence along each column of a matrix: rows are far apart, and columns are neighbours. Tasks
// have 256 columns each, which run together: the loop carries vectors.
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
// CHECK: scf.parallel (%[[TASK:.*]]) = (%{{.*}}) to (%c16)
// CHECK:   %[[FIRST:.*]] = arith.muli %[[TASK]], %c256
// CHECK:   tc.par (%[[J:.*]]) = (%[[FIRST]]) to (%{{.*}}) step (256) {
// CHECK:     tc.seq (%[[I:.*]]) = (0) to (1000) init(%[[S:.*]] = %{{.*}} : vector<256xf32>) {
// CHECK:       %[[X:.*]] = vector.load %{{.*}}[%[[I]], %[[J]]] : {{.*}}, vector<256xf32>
// CHECK:       %[[D:.*]] = arith.mulf %[[S]], %{{.*}} : vector<256xf32>
// CHECK:       %[[N:.*]] = arith.addf %[[D]], %[[X]] : vector<256xf32>
// CHECK:       vector.store %[[N]], %{{.*}}[%[[I]], %[[J]]]
// CHECK:       tc.yield %[[N]] : vector<256xf32>
// CHECK:   tc.par
// CHECK:     memref.load
// CHECK: } {tc.distinct}
