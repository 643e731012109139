// A transposition in place of a square matrix: each iteration swaps a pair, and
// triangular conditions keep the pairs apart.
//
// RUN: %run_program %s
func.func @transpose(%A: memref<45x45xi32>) {
  tc.par grid (%i) = (0) to (45) {
    tc.par block (%j) = (0) to (45) {
      %below = arith.cmpi slt, %j, %i : index
      scf.if %below {
        %x = memref.load %A[%i, %j] : memref<45x45xi32>
        %y = memref.load %A[%j, %i] : memref<45x45xi32>
        memref.store %y, %A[%i, %j] : memref<45x45xi32>
        memref.store %x, %A[%j, %i] : memref<45x45xi32>
      }
    }
  }
  return
}
