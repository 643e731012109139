// Incremental flattening: map e => if there are as many iterations as a threshold, then the nest as it
// is, else what its rules make of e; and so on with the next. Extents that are known decide at once.
//
// RUN: tc-opt %s --tc-flatten | FileCheck %s
// RUN: %check_phases %s tc-flatten
// RUN: %check_phases %s tc-flatten=version=device
// RUN: %check_phases %s tc-flatten=version=thread
// RUN: %check_phases %s tc-flatten=version=warp
// RUN: %check_phases %s tc-flatten=version=block
//
// CHECK: %[[DEVICE:.*]] = tc.threshold %{{.*}} reaches "rows.0.device"
// CHECK: scf.if %[[DEVICE]] {
// CHECK: tc.reduce device
// CHECK: } else {
// CHECK: tc.threshold %{{.*}} reaches "rows.0.{{thread|warp}}"
// CHECK: scf.if
// CHECK: } else {
// CHECK: tc.reduce
func.func @incremental(%A: memref<40x300xi32>, %B: memref<40xi32>) {
  %zero = arith.constant 0 : i32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.cast %A : memref<40x300xi32> to memref<?x?xi32>
  %rows = memref.dim %a, %c0 : memref<?x?xi32>
  %terms = memref.dim %a, %c1 : memref<?x?xi32>
  tc.par (%i) = (0) to (%rows) {
    tc.reduce (%j) = (0) to (%terms) init(%zero : i32) commutative {
      %x = memref.load %a[%i, %j] : memref<?x?xi32>
      tc.yield %x : i32
    } combine (%l: i32, %r: i32) {
      %s = arith.addi %l, %r : i32
      tc.yield %s : i32
    } finish (%s: i32) {
      memref.store %s, %B[%i] : memref<40xi32>
    }
  }
  return
}
