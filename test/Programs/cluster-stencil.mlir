// Steps of a stencil in one launch: a row of 256 elements is spread over the shared memory
// of a cluster of four blocks, whose ends read the row of the next block. Nothing but the
// first and the last state goes through global memory.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @stencil(%A: memref<2x4x64xf32>, %B: memref<2x4x64xf32>) {
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f32
  tc.par grid (%g) = (0) to (2) {
    %u = tc.new : memref<4x2x64xf32>
    tc.par cluster (%c) = (0) to (4) {
      %first = arith.constant 0 : index
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %A[%g, %c, %t] : memref<2x4x64xf32>
        memref.store %a, %u[%c, %first, %t] : memref<4x2x64xf32>
      }
    }
    tc.seq (%step) = (0) to (3) {
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%step)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%step)
      tc.par cluster (%c) = (0) to (4) {
        tc.par block (%t) = (0) to (64) {
          // Neighbours in a ring of 256.
          %lc = affine.apply affine_map<(c, t) -> (((c * 64 + t + 255) mod 256) floordiv 64)>(%c, %t)
          %lt = affine.apply affine_map<(c, t) -> ((t + 63) mod 64)>(%c, %t)
          %rc = affine.apply affine_map<(c, t) -> (((c * 64 + t + 1) mod 256) floordiv 64)>(%c, %t)
          %rt = affine.apply affine_map<(c, t) -> ((t + 1) mod 64)>(%c, %t)
          %l = memref.load %u[%lc, %from, %lt] : memref<4x2x64xf32>
          %m = memref.load %u[%c, %from, %t] : memref<4x2x64xf32>
          %r = memref.load %u[%rc, %from, %rt] : memref<4x2x64xf32>
          %lr = arith.addf %l, %r : f32
          %side = arith.mulf %lr, %quarter : f32
          %mid = arith.mulf %m, %half : f32
          %n = arith.addf %side, %mid : f32
          memref.store %n, %u[%c, %to, %t] : memref<4x2x64xf32>
        }
      }
    }
    tc.par cluster (%c) = (0) to (4) {
      %last = arith.constant 1 : index
      tc.par block (%t) = (0) to (64) {
        %a = memref.load %u[%c, %last, %t] : memref<4x2x64xf32>
        memref.store %a, %B[%g, %c, %t] : memref<2x4x64xf32>
      }
    }
  }
  return
}
