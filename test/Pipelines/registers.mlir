// Accumulators live in registers, also of kernels whose threads may have no work: LLVM looks
// for such memory at the start of a kernel alone.
//
// RUN: tc-opt %s --tc-to-nvvm=format=isa | FileCheck %s --implicit-check-not=.local

// Two kernels (whole and partial tiles) of each width of indices.
// CHECK-COUNT-4: .visible .entry many_results
func.func @many_results(%A: memref<?x?x?x?x?xf32>, %B: memref<?x?x?x?x?xf32>, %Z: memref<?x?xf32>,
                        %a: index, %b: index, %q: index, %r: index, %s: index, %t: index) {
  tc.contract (a = %a, b = %b, q = %q, r = %r, s = %s, t = %t)
      ins(%A[a, s, t, q, r] : memref<?x?x?x?x?xf32>, %B[s, r, b, q, t] : memref<?x?x?x?x?xf32>)
      outs(%Z[a, b] : memref<?x?xf32>)
      {schedule = #tc.schedule<thread = [a = 16, b = 16], register = [a = 8, b = 8], step = [r = 16], kernel = fma>}
  return
}

// From old results, term by term.
// CHECK-COUNT-4: .visible .entry in_order
func.func @in_order(%A: memref<64x?x30xf32>, %B: memref<30x8xf32>, %Z: memref<64x?x8xf32>, %n: index) {
  tc.contract (a = 64, b = %n, c = 8, q = 30)
      ins(%A[a, b, q] : memref<64x?x30xf32>, %B[q, c] : memref<30x8xf32>) outs(%Z[a, b, c] : memref<64x?x8xf32>)
      neutral(0.0 : f32) map (%x: f32, %y: f32) {
        %v = arith.mulf %x, %y : f32
        tc.yield %v : f32
      } combine (%acc: f32, %v: f32) {
        %w = arith.subf %acc, %v : f32
        tc.yield %w : f32
      }
  return
}
