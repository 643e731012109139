// How often the loops of a thread over contracted iterators are unrolled: decided by
// tc-schedule, or by hand, and carried out by tc-lower-microkernel.
//
// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-schedule | FileCheck %s
// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-schedule --tc-tile \
// RUN:     | FileCheck %s --check-prefix=TILE
// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-schedule --tc-tile --tc-promote \
// RUN:     --tc-map --tc-sync --tc-lower-microkernel | FileCheck %s --check-prefix=LOOP

// 2 instructions a step and its 2 loads: all 24 steps are little.
// CHECK-LABEL: @decided(
// CHECK: unroll = [q = 24], kernel = fma>
func.func @decided(%A: memref<64x96xf32>, %B: memref<96x32xf32>, %C: memref<64x32xf32>) {
  tc.contract (i = 64, j = 32, q = 96)
      ins(%A[i, q] : memref<64x96xf32>, %B[q, j] : memref<96x32xf32>) outs(%C[i, j] : memref<64x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 2], step = [q = 24], kernel = fma>}
  return
}

// 64 accumulators: of 24 steps 8, which divide them. A second loop is left alone.
// CHECK-LABEL: @large(
// CHECK: unroll = [p = 1, q = 8], kernel = fma>
func.func @large(%A: memref<64x4x96xf32>, %B: memref<4x96x64xf32>, %C: memref<64x64xf32>) {
  tc.contract (i = 64, j = 64, p = 4, q = 96)
      ins(%A[i, p, q] : memref<64x4x96xf32>, %B[p, q, j] : memref<4x96x64xf32>)
      outs(%C[i, j] : memref<64x64xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 8, j = 8], step = [p = 2, q = 24], kernel = fma>}
  return
}

// What is written is kept. The vector is unrolled whole, and the loop around it by the rest.
// CHECK-LABEL: @given(
// CHECK: unroll = [q = 12], kernel = fma>
// TILE-LABEL: @given(
// TILE: schedule = #tc.schedule<unroll = [q = 3, q_v = 4], kernel = fma>
// LOOP: #[[THREE:.*]] = #llvm.loop_unroll<count = 3 : i32>
// LOOP: #[[HINT:.*]] = #llvm.loop_annotation<unroll = #[[THREE]]>
// LOOP-LABEL: @given(
// LOOP: scf.for
// LOOP: {loop_annotation = #[[HINT]]}
func.func @given(%A: memref<64x96xf32>, %B: memref<96x32xf32>, %C: memref<64x32xf32>) {
  tc.contract (i = 64, j = 32, q = 96)
      ins(%A[i, q] : memref<64x96xf32>, %B[q, j] : memref<96x32xf32>) outs(%C[i, j] : memref<64x32xf32>) overwrite
      {schedule = #tc.schedule<thread = [i = 8, j = 8], register = [i = 2], step = [q = 24], vector = [q = 4],
                               unroll = [q = 12], kernel = fma>}
  return
}

// -----

func.func @most(%A: memref<64x96xf32>, %C: memref<64xf32>) {
  // expected-error @+1 {{expected to unroll the loop over 'q' by at most 6, got 8}}
  tc.contract (i = 64, q = 96) ins(%A[i, q] : memref<64x96xf32>) outs(%C[i] : memref<64xf32>)
      {schedule = #tc.schedule<thread = [i = 8, q = 4], step = [q = 24], unroll = [q = 8], kernel = fma>}
  return
}

// -----

func.func @cut(%A: memref<64x96xf32>, %C: memref<64xf32>) {
  // expected-error @+1 {{expected to unroll the loop over 'q' by at most 24, a multiple of its vector 4, got 6}}
  tc.contract (i = 64, q = 96) ins(%A[i, q] : memref<64x96xf32>) outs(%C[i] : memref<64xf32>)
      {schedule = #tc.schedule<thread = [i = 8], step = [q = 24], vector = [q = 4], unroll = [q = 6], kernel = fma>}
  return
}
