// Ten steps of a relaxation on a ring, all in one block: two rows in shared memory
// take turns, and barriers separate the steps.
//
// RUN: %run_program %s --tolerance=1e-5
#shared = #gpu.address_space<workgroup>
func.func @relax(%A: memref<4x90xf32>) {
  %half = arith.constant 0.5 : f32
  tc.par grid (%r) = (0) to (4) {
    %c0 = arith.constant 0 : index
    %s = tc.new : memref<2x90xf32, #shared>
    tc.par block (%t) = (0) to (90) {
      %a = memref.load %A[%r, %t] : memref<4x90xf32>
      memref.store %a, %s[%c0, %t] : memref<2x90xf32, #shared>
    }
    tc.seq (%step) = (0) to (10) {
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%step)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%step)
      tc.par block (%t) = (0) to (90) {
        %l = affine.apply affine_map<(t) -> ((t + 89) mod 90)>(%t)
        %r1 = affine.apply affine_map<(t) -> ((t + 1) mod 90)>(%t)
        %x = memref.load %s[%from, %l] : memref<2x90xf32, #shared>
        %y = memref.load %s[%from, %r1] : memref<2x90xf32, #shared>
        %xy = arith.addf %x, %y : f32
        %n = arith.mulf %xy, %half : f32
        memref.store %n, %s[%to, %t] : memref<2x90xf32, #shared>
      }
    }
    tc.par block (%t) = (0) to (90) {
      %x = memref.load %s[%c0, %t] : memref<2x90xf32, #shared>
      memref.store %x, %A[%r, %t] : memref<4x90xf32>
    }
  }
  return
}
