// The last thread of a block adds up in shared memory, in a loop of a length that the
// block decides; then all threads read. LLVM knows from the number of threads which one a
// comparison leaves, and may not load the sum early in the others.
//
// RUN: %run_program %s
func.func @p(%A: memref<33xi64>, %B: memref<2x64xi64>) {
  %last = arith.constant 63 : index
  tc.par grid (%g) = (0) to (2) {
    %s = tc.new : memref<64xi64>
    tc.par block (%t) = (0) to (64) {
      %is_last = arith.cmpi sle, %last, %t : index
      scf.if %is_last {
        %x = memref.load %A[%g] : memref<33xi64>
        memref.store %x, %s[%t] : memref<64xi64>
      }
    }
    %n = affine.min affine_map<(g) -> (-g + 2, 2)>(%g)
    tc.seq (%k) = (0) to (%n) {
      tc.par block (%t) = (0) to (64) {
        %is_last = arith.cmpi sle, %last, %t : index
        scf.if %is_last {
          %x = memref.load %A[%k] : memref<33xi64>
          %old = memref.load %s[%t] : memref<64xi64>
          %new = arith.xori %old, %x : i64
          memref.store %new, %s[%t] : memref<64xi64>
        }
      }
    }
    tc.par block (%t) = (0) to (64) {
      %sum = memref.load %s[%last] : memref<64xi64>
      memref.store %sum, %B[%g, %t] : memref<2x64xi64>
    }
  }
  return
}
