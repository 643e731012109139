// Warps that fill a row of their own, in shared memory: first with ones, then with what there is.
//
// RUN: %run_program %s
func.func @warps(%A: memref<16x100xf32>, %B: memref<16x100xf32>) {
  tc.par grid (%g) = (0) to (2) {
    tc.par block (%w) = (0) to (8) {
      %row = tc.new init(1.0 : f32) : memref<100xf32>
      %c8 = arith.constant 8 : index
      %base = arith.muli %g, %c8 : index
      %i = arith.addi %base, %w : index
      tc.par warp (%l) = (0) to (90) {
        %k = affine.apply affine_map<(d0) -> (89 - d0)>(%l)
        %a = memref.load %A[%i, %l] : memref<16x100xf32>
        memref.store %a, %row[%k] : memref<100xf32>
      }
      tc.par warp (%l) = (0) to (100) {
        %last = arith.constant 99 : index
        %k = arith.subi %last, %l : index
        %a = memref.load %row[%k] : memref<100xf32>
        memref.store %a, %B[%i, %l] : memref<16x100xf32>
      }
    }
  }
  return
}
