// Loops that carry several values that belong together: what they choose, and where it is. In
// which order terms may be combined is found out by all cases of comparisons.
//
// RUN: tc-opt %s --tc-raise --split-input-file | FileCheck %s
// RUN: tc-opt %s --tc-raise --split-input-file --remarks-filter=tc-raise 2>&1 >/dev/null \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The first of the largest integers: in any order, smaller places first.
// CHECK-LABEL: @first
// CHECK: tc.reduce (%[[j:.*]]) = (0) to (%{{.*}}) init(%{{.*}} : i32, %{{.*}} : i64) commutative {
// CHECK:   %[[x:.*]] = memref.load
// CHECK:   %[[n:.*]] = arith.index_cast %[[j]] : index to i64
// CHECK:   tc.yield %[[x]], %[[n]] : i32, i64
// CHECK: } combine (%[[v:.*]]: i32, %[[p:.*]]: i64, %[[w:.*]]: i32, %[[q:.*]]: i64) {
// CHECK:   arith.cmpi sgt, %[[p]], %[[q]] : i64
// CHECK: } finish (%[[v:.*]]: i32, %[[p:.*]]: i64) {
// CHECK:   arith.cmpi sgt, %[[v]], %[[init:.*]] : i32
// CHECK-NOT: scf.for
func.func @first(%A: memref<?x?xi32>, %best: memref<?xi32>, %at: memref<?xi64>, %m: index, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tc.par (%i) = (0) to (%m) {
    %v0 = memref.load %best[%i] : memref<?xi32>
    %p0 = memref.load %at[%i] : memref<?xi64>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (i32, i64) {
      %x = memref.load %A[%i, %j] : memref<?x?xi32>
      %k = arith.index_cast %j : index to i64
      %c = arith.cmpi sgt, %x, %v : i32
      %w = arith.maxsi %x, %v : i32
      %q = arith.select %c, %k, %p : i64
      scf.yield %w, %q : i32, i64
    }
    memref.store %r#0, %best[%i] : memref<?xi32>
    memref.store %r#1, %at[%i] : memref<?xi64>
  }
  return
}

// -----

// A comparison with a NaN fails: it is passed by.
// CHECK-LABEL: @passes
// CHECK: tc.reduce {{.*}} commutative {
// CHECK:   %[[x:.*]] = memref.load
// CHECK:   %[[isNaN:.*]] = arith.cmpf uno, %[[x]], %[[x]] : f32
// CHECK:   arith.select %[[isNaN]], %{{.*}}, %[[x]] : f32
func.func @passes(%A: memref<8x90xf32>, %best: memref<8xf32>, %at: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  tc.par (%i) = (0) to (8) {
    %v0 = memref.load %best[%i] : memref<8xf32>
    %p0 = memref.load %at[%i] : memref<8xindex>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (f32, index) {
      %x = memref.load %A[%i, %j] : memref<8x90xf32>
      %c = arith.cmpf olt, %x, %v : f32
      %w = arith.select %c, %x, %v : f32
      %q = arith.select %c, %j, %p : index
      scf.yield %w, %q : f32, index
    }
    memref.store %r#0, %best[%i] : memref<8xf32>
    memref.store %r#1, %at[%i] : memref<8xindex>
  }
  return
}

// -----

// The maximum stays NaN, and so the place what it was: parts are combined in order.
// CHECK-LABEL: @stops
// CHECK: tc.reduce
// CHECK-SAME: init(%{{.*}} : f32, %{{.*}} : i32, %{{.*}} : f32) {
// CHECK: combine (%[[v:.*]]: f32, %[[p:.*]]: i32, %[[all:.*]]: f32, %{{.*}}: f32, %{{.*}}: i32, %[[other:.*]]: f32) {
// CHECK:   %[[isNaN:.*]] = arith.cmpf uno, %[[all]], %[[all]] : f32
// CHECK:   arith.select %[[isNaN]], %[[v]]
// CHECK:   arith.select %[[isNaN]], %[[p]]
// CHECK:   arith.maximumf %[[all]], %[[other]] : f32
func.func @stops(%A: memref<8x90xf32>, %best: memref<8xf32>, %at: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  tc.par (%i) = (0) to (8) {
    %v0 = memref.load %best[%i] : memref<8xf32>
    %p0 = memref.load %at[%i] : memref<8xi32>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (f32, i32) {
      %x = memref.load %A[%i, %j] : memref<8x90xf32>
      %k = arith.index_cast %j : index to i32
      %c = arith.cmpf ogt, %x, %v : f32
      %w = arith.maximumf %x, %v : f32
      %q = arith.select %c, %k, %p : i32
      scf.yield %w, %q : f32, i32
    }
    memref.store %r#0, %best[%i] : memref<8xf32>
    memref.store %r#1, %at[%i] : memref<8xi32>
  }
  return
}

// -----

// NaN is the largest. Of zeros the last one is kept, with the place of the first: signs tell
// whether terms were combined in order, so they are.
// CHECK-LABEL: @zeros
// CHECK: tc.reduce
// CHECK-SAME: init(%{{.*}} : f32, %{{.*}} : i32) {
// CHECK: combine (%[[v:.*]]: f32, %{{.*}}: i32, %[[w:.*]]: f32, %{{.*}}: i32) {
// CHECK-NEXT: arith.cmpf ogt, %[[v]], %[[w]] : f32
func.func @zeros(%A: memref<8x90xf32>, %best: memref<8xf32>, %at: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  tc.par (%i) = (0) to (8) {
    %v0 = memref.load %best[%i] : memref<8xf32>
    %p0 = memref.load %at[%i] : memref<8xi32>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (f32, i32) {
      %x = memref.load %A[%i, %j] : memref<8x90xf32>
      %k = arith.index_cast %j : index to i32
      %more = arith.cmpf ogt, %v, %x : f32
      %isNaN = arith.cmpf une, %v, %v : f32
      %c = arith.ori %more, %isNaN : i1
      %same = arith.cmpf oeq, %v, %x : f32
      %before = arith.cmpi slt, %p, %k : i32
      %first = arith.andi %same, %before : i1
      %d = arith.ori %c, %first : i1
      %w = arith.select %c, %v, %x : f32
      %q = arith.select %d, %p, %k : i32
      scf.yield %w, %q : f32, i32
    }
    memref.store %r#0, %best[%i] : memref<8xf32>
    memref.store %r#1, %at[%i] : memref<8xi32>
  }
  return
}

// -----

// Of equal elements the first one's partner is kept, even if they are the largest that there
// are: no element leaves others as they are.
// CHECK-LABEL: @partner
// CHECK-NOT: tc.reduce
// REMARK: the nest is no contraction: it chooses by comparisons that are not known to give the same where terms are regrouped
func.func @partner(%A: memref<8x90xi32>, %B: memref<8x90xi32>, %best: memref<8xi32>, %with: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  tc.par (%i) = (0) to (8) {
    %v0 = memref.load %best[%i] : memref<8xi32>
    %p0 = memref.load %with[%i] : memref<8xi32>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (i32, i32) {
      %x = memref.load %A[%i, %j] : memref<8x90xi32>
      %k = memref.load %B[%i, %j] : memref<8x90xi32>
      %c = arith.cmpi slt, %x, %v : i32
      %w = arith.select %c, %x, %v : i32
      %q = arith.select %c, %k, %p : i32
      scf.yield %w, %q : i32, i32
    }
    memref.store %r#0, %best[%i] : memref<8xi32>
    memref.store %r#1, %with[%i] : memref<8xi32>
  }
  return
}

// -----

// A cycle of three is no order: which of them wins depends on who meets first.
// CHECK-LABEL: @cycle
// CHECK-NOT: tc.reduce
// REMARK: the nest is no contraction: it chooses by comparisons that are not known to give the same where terms are regrouped
func.func @cycle(%A: memref<8x90xi32>, %B: memref<8x90xi32>, %best: memref<8xi32>, %with: memref<8xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 90 : index
  tc.par (%i) = (0) to (8) {
    %v0 = memref.load %best[%i] : memref<8xi32>
    %p0 = memref.load %with[%i] : memref<8xi32>
    %r:2 = scf.for %j = %c0 to %n step %c1 iter_args(%v = %v0, %p = %p0) -> (i32, i32) {
      %x = memref.load %A[%i, %j] : memref<8x90xi32>
      %k = memref.load %B[%i, %j] : memref<8x90xi32>
      %c = arith.cmpi slt, %x, %v : i32
      %d = arith.cmpi slt, %k, %p : i32
      %e = arith.xori %c, %d : i1
      %w = arith.select %e, %x, %v : i32
      %q = arith.select %e, %k, %p : i32
      scf.yield %w, %q : i32, i32
    }
    memref.store %r#0, %best[%i] : memref<8xi32>
    memref.store %r#1, %with[%i] : memref<8xi32>
  }
  return
}
