// RUN: tc-opt %s --convert-scf-to-tc | FileCheck %s

func.func @forall(%A: memref<128x64xf32>, %n: index) {
  scf.forall (%i) = (0) to (128) step (32) {
    scf.forall (%t) = (0) to (32) step (1) {
      %r = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      affine.parallel (%j) = (0) to (min(64, symbol(%n))) {
        %x = memref.load %A[%r, %j] : memref<128x64xf32>
        %y = arith.addf %x, %x : f32
        memref.store %y, %A[%r, %j] : memref<128x64xf32>
      }
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}

// CHECK-LABEL: @forall
// CHECK: tc.par grid (%{{.*}}) = (0) to (128) step (32) {
// CHECK: tc.par block (%{{.*}}) = (0) to (32) {
// CHECK: tc.par (%{{.*}}) = (0) to (%{{.*}}) {
