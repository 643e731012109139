// Map distribution: map (let a = e1 in e2) => let as = map e1 in map e2, where the size of a does not
// vary: what e1 hands to e2 gets a place for each iteration.
//
// RUN: tc-opt %s --tc-flatten=version=device --canonicalize | FileCheck %s
// RUN: %check_phases %s tc-flatten=version=device
//
// CHECK: %[[SUMS:.*]] = tc.new : memref<5xi32>
// CHECK: tc.par (%[[I:.*]]) = (0) to (5) {
// CHECK: %[[SUM:.*]] = memref.subview %[[SUMS]][%[[I]]] [1] [1]
// CHECK: tc.reduce device
// CHECK: memref.store %{{.*}}, %[[SUM]][]
// CHECK: tc.par (%[[ROW:.*]], %[[J:.*]]) = (0, 0) to (5, 700) {
// CHECK: %[[SUM:.*]] = memref.subview %[[SUMS]][%[[ROW]]] [1] [1]
// CHECK: memref.load %[[SUM]][]
func.func @distribution(%A: memref<5x700xi32>, %B: memref<5x700xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (5) {
    %sum = tc.new : memref<i32>
    tc.reduce (%j) = (0) to (700) init(%zero : i32) commutative {
      %x = memref.load %A[%i, %j] : memref<5x700xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%s: i32) {
      memref.store %s, %sum[] : memref<i32>
    }
    tc.par (%j) = (0) to (700) {
      %x = memref.load %A[%i, %j] : memref<5x700xi32>
      %s = memref.load %sum[] : memref<i32>
      %y = arith.addi %x, %s : i32
      memref.store %y, %B[%i, %j] : memref<5x700xi32>
    }
  }
  return
}
