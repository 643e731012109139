// RUN: tc-opt %s --tc-flatten=chip=sm_90a | FileCheck %s
// RUN: tc-run %s --chip=sm_90a --name=sums --keep-order --verify | FileCheck %s --check-prefix=CHECKED

// Three rows of 40000 terms: all blocks sum them, as segments.
//
// CHECK-LABEL: func.func @sums
// CHECK: tc.par (%{{.*}}) = (0) to (3) {
// CHECK: tc.reduce device (%{{.*}}) = (0) to (40000)
// CHECKED: verified
func.func @sums(%A: memref<3x40000xf32>, %B: memref<3xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par (%i) = (0) to (3) {
    tc.reduce (%j) = (0) to (40000) init(%zero : f32) commutative {
      %x = memref.load %A[%i, %j] : memref<3x40000xf32>
      tc.yield %x : f32
    } combine (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      tc.yield %s : f32
    } finish (%s: f32) {
      memref.store %s, %B[%i] : memref<3xf32>
    }
  }
  return
}

// Extents that only the call gives: three versions.
//
// CHECK-LABEL: func.func @scans
// CHECK: scf.if
// CHECK: tc.scan device
// CHECK: scf.if
// CHECK: tc.par grid (%{{.*}}) = (0) to (%{{.*}}) step (8)
// CHECK: tc.par block
// CHECK: tc.scan warp
// CHECK: tc.par grid (%{{.*}}) = (0) to (%{{.*}}) {
// CHECK-NEXT: tc.scan (
func.func @scans(%A: memref<?x?xi32>, %B: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %rows = memref.dim %A, %c0 : memref<?x?xi32>
  %terms = memref.dim %A, %c1 : memref<?x?xi32>
  tc.par (%i) = (0) to (%rows) {
    tc.scan (%j) = (0) to (%terms) init(%zero : i32) {
      %x = memref.load %A[%i, %j] : memref<?x?xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%k: index, %s: i32) {
      memref.store %s, %B[%i, %k] : memref<?x?xi32>
    }
  }
  return
}
