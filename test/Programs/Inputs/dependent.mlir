// Prefix sums in one tc.par: an iteration reads what the one before it wrote.
func.func @dependent(%A: memref<40xi32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (1) to (40) {
      %before = affine.apply affine_map<(t) -> (t - 1)>(%t)
      %x = memref.load %A[%before] : memref<40xi32>
      %y = memref.load %A[%t] : memref<40xi32>
      %s = arith.addi %x, %y : i32
      memref.store %s, %A[%t] : memref<40xi32>
    }
  }
  return
}
