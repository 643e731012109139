// Upstream's passes and ops take tc.par and tc.seq as loops, and tile a tc.par.
//
// RUN: tc-opt %s --loop-invariant-code-motion | FileCheck %s --check-prefix=MOVED
// RUN: tc-opt %s --transform-interpreter --canonicalize | FileCheck %s
// RUN: not tc-opt %s --transform-interpreter='entry-point=unrolled' -o %t 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
!op = !transform.any_op
module attributes {transform.with_named_sequence} {
func.func @scale(%A: memref<64x96xf32>, %x: f32, %y: f32) {
  tc.par (%i, %j) = (2, 0) to (64, 96) {
    tc.seq (%k) = (0) to (4) {
      %s = arith.mulf %x, %y : f32
      %a = memref.load %A[%i, %j] : memref<64x96xf32>
      %b = arith.addf %a, %s : f32
      memref.store %b, %A[%i, %j] : memref<64x96xf32>
    }
  }
  return
}
func.func @bound(%A: memref<64xf32>, %x: f32) {
  tc.par device (%i) = (0) to (64) {
    memref.store %x, %A[%i] : memref<64xf32>
  }
  return
}
transform.named_sequence @__transform_main(%m: !op {transform.readonly}) {
  %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "scale"} in %m : (!op) -> !op
  %nest = transform.structured.match ops{["tc.par"]} in %f : (!op) -> !op
  %tile, %rows, %columns = transform.structured.tile_using_for %nest tile_sizes [16, 40] : (!op) -> (!op, !op, !op)
  transform.yield
}
transform.named_sequence @unrolled(%m: !op {transform.readonly}) {
  %f = transform.structured.match ops{["func.func"]} attributes{sym_name = "bound"} in %m : (!op) -> !op
  %nest = transform.structured.match ops{["tc.par"]} in %f : (!op) -> !op
  %tile, %loop = transform.structured.tile_using_for %nest tile_sizes [16] : (!op) -> (!op, !op)
  transform.yield
}
}

// REFUSED: 'tc.par' op expected no level, before it is dealt out

// MOVED-LABEL: func.func @scale
// MOVED: arith.mulf
// MOVED: tc.par

// CHECK-LABEL: func.func @scale
// CHECK: scf.for %[[i:.*]] = %c0 to %c62 step %c16
// CHECK: scf.for %[[j:.*]] = %c0 to %c96 step %c40
// CHECK: tc.par (%{{.*}}, %{{.*}}) = (%{{.*}}, %[[j]]) to (%{{.*}}, %{{.*}}) {
