// convert-scf-to-tc: bounds, steps, levels, and what stays; and the way back.
//
// RUN: tc-opt %s --convert-scf-to-tc | FileCheck %s
// RUN: tc-opt %s --convert-scf-to-tc --remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --convert-scf-to-tc --convert-tc-to-loops=parallel=true | FileCheck %s --check-prefix=BACK

// Several dimensions; constants are bounds, and values are.
// CHECK-LABEL: @parallel(
// CHECK: tc.par (%[[I:.*]], %[[J:.*]]) = (1, 0) to (%{{.*}}, 17) step (2, 1) {
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
// BACK-LABEL: @parallel(
// BACK: scf.parallel (%[[I:.*]], %[[J:.*]]) = (%{{.*}}, %{{.*}}) to (%{{.*}}, %{{.*}}) step (%{{.*}}, %{{.*}}) {
// BACK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @parallel(%A: memref<?x17xf32>, %n: index, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c17 = arith.constant 17 : index
  scf.parallel (%i, %j) = (%c1, %c0) to (%n, %c17) step (%c2, %c1) {
    memref.store %x, %A[%i, %j] : memref<?x17xf32>
  }
  return
}

// A step of run time.
// CHECK-LABEL: @step(
// CHECK: %[[COUNT:.*]] = arith.ceildivsi
// CHECK: tc.par (%[[K:.*]]) = (0) to (%[[COUNT]]) {
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[K]], %{{.*}}
// CHECK-NEXT: %[[I:.*]] = arith.addi %[[SCALED]], %{{.*}}
// CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]]]
func.func @step(%A: memref<?xf32>, %l: index, %n: index, %s: index, %x: f32) {
  scf.parallel (%i) = (%l) to (%n) step (%s) {
    memref.store %x, %A[%i] : memref<?xf32>
  }
  return
}

// Lanes of warps.
// CHECK-LABEL: @warps(
// CHECK: tc.par grid
// CHECK: tc.par block (%{{.*}}) = (0) to (4) {
// CHECK: tc.par warp (%{{.*}}) = (0) to (32) {
func.func @warps(%A: memref<8x4x32xf32>, %x: f32) {
  scf.forall (%b) in (8) {
    scf.forall (%w) in (4) {
      scf.forall (%l) in (32) {
        memref.store %x, %A[%b, %w, %l] : memref<8x4x32xf32>
      } {mapping = [#gpu.lane<linear_dim_0>]}
    } {mapping = [#gpu.warp<linear_dim_0>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK-LABEL: @reduces(
// CHECK: scf.parallel
// REMARK: the loop stays as it is: it reduces values; write a tc.reduce
func.func @reduces(%A: memref<8xf32>, %zero: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %sum = scf.parallel (%i) = (%c0) to (%c8) step (%c1) init(%zero) -> f32 {
    %x = memref.load %A[%i] : memref<8xf32>
    scf.reduce(%x : f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  return %sum : f32
}

// CHECK-LABEL: @mixed(
// CHECK: scf.forall
// REMARK: the loop stays as it is: its mapping mixes levels, or names none of a GPU
func.func @mixed(%A: memref<8x4xf32>, %x: f32) {
  scf.forall (%b, %t) in (8, 4) {
    memref.store %x, %A[%b, %t] : memref<8x4xf32>
  } {mapping = [#gpu.block<x>, #gpu.thread<x>]}
  return
}

// A width between 1 and the step is a loop inside.
// BACK-LABEL: @width(
// BACK: scf.parallel
// BACK: arith.minsi
// BACK: scf.for
// BACK: memref.store
func.func @width(%A: memref<17xf32>, %x: f32) {
  tc.par (%i) = (0) to (17) step (4) width (2) {
    memref.store %x, %A[%i] : memref<17xf32>
  }
  return
}
