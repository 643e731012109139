// Contractions of warps: tc-tile makes them, and tc-lower-microkernel their instructions.
//
// RUN: tc-opt %s --tc-tile --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-tile --tc-promote --tc-map --tc-sync --tc-lower-microkernel \
// RUN:     --mlir-print-local-scope | FileCheck %s --check-prefix=LANES

// Of 16 x 8 threads 8 x 4 are lanes of a warp. What a thread does alone is in a tc.par warp.
// CHECK-LABEL: @matmul(
// CHECK: %[[ACC:.*]] = tc.new init(0.000000e+00 : f64) threads(4) : memref<2x2x8x4x2x2xf64>
// CHECK: %[[A:.*]] = tc.stage
// CHECK: %[[B:.*]] = tc.stage
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2) {
// CHECK: %[[WA:.*]] = tc.view %[[A]](%{{.*}}) <offset = ?, sizes = [2, 8, 8], {{.*}}>
// CHECK: %[[WB:.*]] = tc.view %[[B]](%{{.*}}) <offset = ?, sizes = [8, 2, 4], {{.*}}>
// CHECK: %[[OWN:.*]] = memref.subview %[[ACC]][%[[I]], %[[J]], 0, 0, 0, 0] [1, 1, 8, 4, 2, 2]
// CHECK: tc.contract (i = 2, j = 2, k = 8, i_l = 8, j_l = 4) ins(%[[WA]][i, i_l, k] : {{.*}}, %[[WB]][k, j, j_l] : {{.*}}) outs(%[[OWN]][i_l, j_l, i, j] : {{.*}}) accumulate(f64) {schedule = #tc.schedule<kernel = mma, unit = <"m16n8k8.f64", m = [i_l = 8], n = [j_l = 4], k = [k = 4]>>}
// CHECK: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2) {
// CHECK: tc.par warp (%[[G:.*]], %[[T:.*]]) = (0, 0) to (8, 4) {
// CHECK: memref.subview %[[ACC]][%[[I]], %[[J]], %[[G]], %[[T]], 0, 0] [1, 1, 1, 1, 2, 2]

// A lane has its own rows, of the columns those by the number of its row, and of four terms
// one. Two rows and two columns of a lane are one instruction.
// LANES-LABEL: @matmul(
// LANES: tc.par block (%[[I:.*]], %[[J:.*]]) = (0, 0) to (2, 2)
// LANES: %[[WA:.*]] = tc.view
// LANES: %[[WB:.*]] = tc.view
// LANES: tc.par warp (%[[G:.*]], %[[T:.*]]) = (0, 0) to (8, 4) map #tc.map<fold_last2> {
// LANES: %[[SECOND:.*]] = affine.apply affine_map<(d0) -> (d0 mod 2)>(%[[G]])
// LANES: %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> ((d0 floordiv 2) mod 4)>(%[[G]])
// LANES: %[[TERM:.*]] = affine.apply affine_map<(d0) -> (d0 mod 4)>(%[[T]])
// LANES: memref.load %[[WA]][%{{.*}}, %[[G]], %{{.*}}]
// LANES: memref.load %[[WB]][%{{.*}}, %{{.*}}, %{{.*}}]
// LANES: %[[D:.*]] = llvm.call_intrinsic "llvm.nvvm.mma.m16n8k8.row.col.f64"({{.*}}) : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) -> !llvm.struct<(f64, f64, f64, f64)>
// LANES: llvm.extractvalue %[[D]][0]
func.func @matmul(%A: memref<64x32xf64>, %B: memref<32x48xf64>, %C: memref<64x48xf64>) {
  tc.contract (i = 64, j = 48, k = 32)
      ins(%A[i, k] : memref<64x32xf64>, %B[k, j] : memref<32x48xf64>)
      outs(%C[i, j] : memref<64x48xf64>) overwrite
      {schedule = #tc.schedule<thread = [i = 16, j = 8], register = [i = 2, j = 2], step = [k = 8], kernel = mma,
        unit = <"m16n8k8.f64", m = [i = 8], n = [j = 4], k = [k = 4]>>}
  return
}
