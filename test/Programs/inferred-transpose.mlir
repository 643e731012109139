// A transposition through a tile whose memory nobody names: two threads of a block use
// it, so it has to be shared, with a barrier between.
//
// RUN: %run_program %s
func.func @transpose(%A: memref<45x70xf32>, %B: memref<70x45xf32>) {
  tc.par (%i0, %j0) = (0, 0) to (45, 70) step (16, 16) {
    %s = tc.new : memref<16x17xf32>
    %ni = affine.min affine_map<(i) -> (45 - i, 16)>(%i0)
    %nj = affine.min affine_map<(j) -> (70 - j, 16)>(%j0)
    tc.par (%ti, %tj) = (0, 0) to (%ni, %nj) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %ti)
      %j = affine.apply affine_map<(i, t) -> (i + t)>(%j0, %tj)
      %x = memref.load %A[%i, %j] : memref<45x70xf32>
      memref.store %x, %s[%ti, %tj] : memref<16x17xf32>
    }
    tc.par (%tj, %ti) = (0, 0) to (%nj, %ni) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %ti)
      %j = affine.apply affine_map<(i, t) -> (i + t)>(%j0, %tj)
      %x = memref.load %s[%ti, %tj] : memref<16x17xf32>
      memref.store %x, %B[%j, %i] : memref<70x45xf32>
    }
  }
  return
}
