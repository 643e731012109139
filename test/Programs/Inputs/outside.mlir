// A guard is missing: the last block goes beyond the end.
func.func @outside(%A: memref<40xi32>, %B: memref<40xi32>) {
  tc.par grid (%g) = (0) to (40) step (16) {
    tc.par block (%t) = (0) to (16) {
      %i = arith.addi %g, %t : index
      %x = memref.load %A[%i] : memref<40xi32>
      memref.store %x, %B[%i] : memref<40xi32>
    }
  }
  return
}
