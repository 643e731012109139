// Segscan: map (scanomap op f) is one construct, whose segments the iterations of the map
// number: all blocks work on all of them; here a block has one.
//
// RUN: tc-opt %s --tc-flatten=version=device | FileCheck %s
// RUN: tc-opt %s --tc-flatten=version=device --tc-lower-reductions | FileCheck %s --check-prefix=LOWER
// RUN: %check_phases %s tc-flatten=version=device tc-bind tc-lower-reductions
//
// CHECK: tc.par (%[[I:.*]]) = (0) to (5) {
// CHECK-NEXT: tc.scan device (%[[J:.*]]) = (0) to (700)
// CHECK: memref.load %arg0[%[[I]], %[[J]]]
// LOWER: tc.par grid (%{{.*}}) = (0) to (5) {
// LOWER-NOT: tc.par (
func.func @segscan(%A: memref<5x700xi32>, %B: memref<5x700xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (5) {
    tc.scan (%j) = (0) to (700) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<5x700xi32>
      %y = arith.muli %x, %x : i32
      tc.yield %y : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%j: index, %s: i32) {
      memref.store %s, %B[%i, %j] : memref<5x700xi32>
    }
  }
  return
}
