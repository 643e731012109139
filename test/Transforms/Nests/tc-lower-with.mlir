// One nest for all partitions: over the arrays, a bounding box or the concatenated
// index spaces.
//
// RUN: tc-opt %s --tc-lower-with --canonicalize | FileCheck %s
// RUN: tc-opt %s --tc-lower-with --remarks-filter=.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A default: over the arrays, as they are at run time.
// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?x8xf32>, %[[N:[^:]*]]: index
// CHECK: %[[ROWS:.*]] = memref.dim %[[A]], %c0
// CHECK: tc.par (%[[I:.*]], %[[J:.*]]) = (0, 0) to (%[[ROWS]], 8) {
// CHECK-NOT: arith.cmpi sge, %[[J]]
// CHECK: arith.cmpi slt, %[[I]], %[[N]]
// CHECK: %[[REST:.*]] = arith.remui %[[J]], %[[N]]
// CHECK: arith.cmpi ult, %[[REST]], %c2
// CHECK: %[[X:.*]] = arith.select
// CHECK: memref.store %[[X]], %[[A]][%[[I]], %[[J]]]
// REMARK: "one nest over the arrays; partitions: 1"
func.func @dynamic(%A: memref<?x8xf32>, %n: index, %x: f32, %y: f32) {
  tc.with %A default(%x : f32) : memref<?x8xf32> {
    tc.partition (%i, %j) = (0, 0) to (%n, 8) step (1, %n) width (1, 2) {
      tc.yield %y : f32
    }
  }
  return
}

// What a later partition covers whole nobody sees, nor the default.
// CHECK-LABEL: func @covered(
// CHECK: tc.par
// CHECK-NOT: scf.if
// CHECK: memref.store %arg2
// CHECK-NEXT: }
// REMARK: "one nest over the arrays; partitions: 1"
func.func @covered(%A: memref<?xf32>, %x: f32, %y: f32) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?xf32>
  tc.with %A default(%x : f32) : memref<?xf32> {
    tc.partition (%i) = (2) to (4) {
      tc.yield %x : f32
    }
    tc.partition (%i) = (0) to (%n) {
      tc.yield %y : f32
    }
  }
  return
}

// One partition is the nest that it says.
// CHECK-LABEL: func @alone(
// CHECK: tc.par (%[[I:.*]]) = (3) to (50) step (4) width (2) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
// CHECK-NEXT: }
func.func @alone(%A: memref<50xf32>, %B: memref<50xi8>, %x: f32, %y: i8) {
  tc.with %A, %B : memref<50xf32>, memref<50xi8> {
    tc.partition (%i) = (7) to (7) {
      tc.yield %x, %y : f32, i8
    }
    tc.partition (%i) = (3) to (50) step (4) width (2) {
      tc.yield %x, %y : f32, i8
    }
  }
  return
}

// Two that interleave fill their bounding box.
// CHECK-LABEL: func @box(
// CHECK: tc.par (%[[I:.*]]) = (2) to (90) {
// CHECK: arith.ori
// CHECK: scf.if
// CHECK: %[[X:.*]] = arith.select %{{.*}}, %arg2, %arg1
// CHECK: memref.store %[[X]], %{{.*}}[%[[I]]]
// REMARK: "one nest over the bounding box of the partitions, which fill at least half of it; partitions: 2"
func.func @box(%A: memref<100xf32>, %x: f32, %y: f32) {
  tc.with %A : memref<100xf32> {
    tc.partition (%i) = (2) to (90) step (3) {
      tc.yield %x : f32
    }
    tc.partition (%i) = (3) to (90) step (3) {
      tc.yield %y : f32
    }
  }
  return
}

// The first and the last row, and a column: 64 + 64 + 64 indices, the latest first. Rows are
// disjoint; the column writes over both.
// CHECK-LABEL: func @rim(
// CHECK: tc.par (%[[P:.*]]) = (0) to (192) {
// CHECK: %[[FIRST:.*]] = arith.cmpi slt, %[[P]], %c64
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[P]], %c5
// CHECK: } else {
// CHECK: %[[SECOND:.*]] = arith.cmpi slt, %[[P]], %c128
// CHECK: scf.if %[[SECOND]] {
// CHECK: arith.xori
// CHECK: scf.if
// CHECK: } else {
// CHECK: arith.xori
// CHECK-NOT: arith.xori
// CHECK: return
// REMARK: "one nest over the concatenated index spaces; partitions: 3"
func.func @rim(%A: memref<64x64xf32>, %x: f32, %y: f32) {
  tc.with %A : memref<64x64xf32> {
    tc.partition (%i, %j) = (0, 0) to (1, 64) {
      tc.yield %x : f32
    }
    tc.partition (%i, %j) = (63, 0) to (64, 64) {
      tc.yield %x : f32
    }
    tc.partition (%i, %j) = (0, 5) to (64, 6) {
      tc.yield %y : f32
    }
  }
  return
}

// CHECK-LABEL: func @nothing(
// CHECK-NEXT: return
// REMARK: "nothing is written: all partitions are empty"
func.func @nothing(%A: memref<64xf32>, %x: f32) {
  tc.with %A : memref<64xf32> {
    tc.partition (%i) = (9) to (3) {
      tc.yield %x : f32
    }
  }
  return
}
