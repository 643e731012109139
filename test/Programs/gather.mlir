// Rows of a table picked by an array of numbers, twice through another one.
//
// RUN: %run_program %s
func.func @gather(%T: memref<20x33xf32>, %I: memref<57xi32>, %B: memref<57x33xf32>) {
  tc.par grid (%r) = (0) to (57) {
    tc.par block (%j) = (0) to (33) {
      %n = memref.load %I[%r] : memref<57xi32>
      %at = arith.index_cast %n : i32 to index
      %next = affine.apply affine_map<(n) -> ((n + 60) mod 57)>(%at)
      %n2 = memref.load %I[%next] : memref<57xi32>
      %at2 = arith.index_cast %n2 : i32 to index
      %row = affine.apply affine_map<(n) -> (n mod 20)>(%at2)
      %x = memref.load %T[%row, %j] : memref<20x33xf32>
      memref.store %x, %B[%r, %j] : memref<57x33xf32>
    }
  }
  return
}
