// An iteration reads an element that data chooses, and writes its own: no pass can tell
// whether another one writes what is read.
func.func @dependent(%I: memref<40xi32>, %A: memref<40xi32>) {
  tc.par grid (%g) = (0) to (1) {
    tc.par block (%t) = (0) to (40) {
      %n = memref.load %I[%t] : memref<40xi32>
      %k = arith.index_cast %n : i32 to index
      %other = affine.apply affine_map<(k) -> (k mod 40)>(%k)
      %x = memref.load %A[%other] : memref<40xi32>
      memref.store %x, %A[%t] : memref<40xi32>
    }
  }
  return
}
