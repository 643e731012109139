// Copies run ahead of the sums, to a tile beyond the last one. The memref of its view would
// have a negative extent, which constants are folded into.
//
// RUN: tc-run %s --chip=sm_80 --device=emulator --verify | FileCheck %s
// CHECK: verified

func.func @f(%A: memref<2x11x3x6x2xf32>, %B: memref<6x3x2xf32>, %C: memref<2x11x2x3x2xf32>) {
  tc.contract (a = 2, b = 11, c = 2, d = 2, e = 6, f = 3)
      ins(%A[a, b, f, e, c] : memref<2x11x3x6x2xf32>, %B[e, f, d] : memref<6x3x2xf32>)
      outs(%C[c, b, d, f, a] : memref<2x11x2x3x2xf32>) precision(bf16x3)
      {schedule = #tc.schedule<thread = [b = 8, d = 8, a = 3], register = [a = 2, b = 3], step = [e = 16],
        vector = [d = 2, e = 2], stages = 3, kernel = mma,
        unit = <"m16n8k8.bf16", m = [b = 8], n = [d = 4], k = [e = 4]>>}
  map (%lx: f32, %rx: f32) {
    %l = arith.negf %lx : f32
    %r = arith.mulf %rx, %rx : f32
    %p = arith.mulf %l, %r : f32
    tc.yield %p : f32
  }
  return
}
