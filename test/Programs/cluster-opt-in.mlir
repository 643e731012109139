// Rows of 100 KiB of a cluster: more than a kernel may declare, read by another block.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @rows(%A: memref<2x2x25600xf32>, %B: memref<2x2x25600xf32>) {
  tc.par grid (%i) = (0) to (2) {
    %rows = tc.new : memref<2x25600xf32>
    tc.par cluster (%q) = (0) to (2) {
      tc.par block (%t) = (0) to (25600) {
        %x = memref.load %A[%i, %q, %t] : memref<2x2x25600xf32>
        memref.store %x, %rows[%q, %t] : memref<2x25600xf32>
      }
    }
    tc.par cluster (%q) = (0) to (2) {
      %p = affine.apply affine_map<(d0) -> (1 - d0)>(%q)
      tc.par block (%t) = (0) to (25600) {
        %x = memref.load %rows[%p, %t] : memref<2x25600xf32>
        memref.store %x, %B[%i, %q, %t] : memref<2x2x25600xf32>
      }
    }
  }
  return
}
