// A histogram of 10 bins: every thread adds atomically to the bin of its element,
// in any order.
//
// RUN: %run_program %s
func.func @histogram(%A: memref<1000xi32>, %H: memref<10xi32>) {
  %one = arith.constant 1 : i32
  tc.par grid (%i0) = (0) to (1000) step (128) {
    tc.par block (%t) = (0) to (128) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %c1000 = arith.constant 1000 : index
      %in = arith.cmpi slt, %i, %c1000 : index
      scf.if %in {
        %x = memref.load %A[%i] : memref<1000xi32>
        %n = arith.index_cast %x : i32 to index
        %bin = affine.apply affine_map<(n) -> (n mod 10)>(%n)
        %old = memref.atomic_rmw addi %one, %H[%bin] : (i32, memref<10xi32>) -> i32
      }
    }
  }
  return
}
