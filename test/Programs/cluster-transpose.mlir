// A transposition of 64 by 64 by a cluster of 2 x 2 blocks: each reads a quarter by rows
// and leaves it in its shared memory; each writes a quarter by rows, which it takes from
// the block across. Levels inside of the cluster are left open.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @transpose(%A: memref<64x64xf32>, %B: memref<64x64xf32>) {
  tc.par (%g) = (0) to (1) {
    %tile = tc.new : memref<4x32x33xf32>
    tc.par cluster (%ci, %cj) = (0, 0) to (2, 2) {
      %own = affine.apply affine_map<(i, j) -> (i * 2 + j)>(%ci, %cj)
      tc.par (%i, %j) = (0, 0) to (32, 32) {
        %y = affine.apply affine_map<(c, i) -> (c * 32 + i)>(%ci, %i)
        %x = affine.apply affine_map<(c, i) -> (c * 32 + i)>(%cj, %j)
        %a = memref.load %A[%y, %x] : memref<64x64xf32>
        memref.store %a, %tile[%own, %i, %j] : memref<4x32x33xf32>
      }
    }
    tc.par cluster (%ci, %cj) = (0, 0) to (2, 2) {
      %across = affine.apply affine_map<(i, j) -> (j * 2 + i)>(%ci, %cj)
      tc.par (%i, %j) = (0, 0) to (32, 32) {
        %y = affine.apply affine_map<(c, i) -> (c * 32 + i)>(%ci, %i)
        %x = affine.apply affine_map<(c, i) -> (c * 32 + i)>(%cj, %j)
        %a = memref.load %tile[%across, %j, %i] : memref<4x32x33xf32>
        memref.store %a, %B[%y, %x] : memref<64x64xf32>
      }
    }
  }
  return
}
