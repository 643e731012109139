// Rows of a cluster that are too long for one block together: each block has its own, and reads that of another.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @rows(%A: memref<3x8x3000xf32>, %B: memref<3x8x3000xf32>) {
  tc.par grid (%i) = (0) to (3) {
    %rows = tc.new : memref<8x3000xf32>
    tc.par cluster (%q) = (0) to (8) {
      tc.par block (%t) = (0) to (3000) {
        %x = memref.load %A[%i, %q, %t] : memref<3x8x3000xf32>
        memref.store %x, %rows[%q, %t] : memref<8x3000xf32>
      }
    }
    tc.par cluster (%q) = (0) to (8) {
      %p = affine.apply affine_map<(d0) -> (7 - d0)>(%q)
      tc.par block (%t) = (0) to (3000) {
        %x = memref.load %rows[%p, %t] : memref<8x3000xf32>
        memref.store %x, %B[%i, %q, %t] : memref<3x8x3000xf32>
      }
    }
  }
  return
}
