// A grid of three dimensions and a block of two, each with a lower bound, a step
// and a width of its own; what is left out keeps its value.
//
// RUN: %run_program %s
func.func @space(%A: memref<5x4x7x6x9xi32>) {
  tc.par grid (%a, %b, %c) = (1, 0, 2) to (5, 4, 7) step (2, 3, 3) width (1, 2, 2) {
    tc.par block (%d, %e) = (0, 1) to (6, 9) step (4, 3) width (3, 1) {
      %x = memref.load %A[%a, %b, %c, %d, %e] : memref<5x4x7x6x9xi32>
      %n = affine.apply affine_map<(a, b, c, d, e) -> (a * 1000 + b * 100 + c * 50 + d * 10 + e)>(%a, %b, %c, %d, %e)
      %n32 = arith.index_cast %n : index to i32
      %y = arith.addi %x, %n32 : i32
      memref.store %y, %A[%a, %b, %c, %d, %e] : memref<5x4x7x6x9xi32>
    }
  }
  return
}
