// Many products of small matrices: a block takes four of them, a thread an element
// of one; operands are read where they lie.
//
// RUN: %run_program %s
func.func @batched(%A: memref<30x5x6xf32>, %B: memref<30x6x3xf32>, %C: memref<30x5x3xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%b0) = (0) to (30) step (4) {
    tc.par block (%tb, %i, %j) = (0, 0, 0) to (4, 5, 3) {
      %b = affine.apply affine_map<(b, t) -> (b + t)>(%b0, %tb)
      %c30 = arith.constant 30 : index
      %in = arith.cmpi slt, %b, %c30 : index
      scf.if %in {
        %sum = tc.seq (%k) = (0) to (6) init(%s = %zero : f32) {
          %x = memref.load %A[%b, %i, %k] : memref<30x5x6xf32>
          %y = memref.load %B[%b, %k, %j] : memref<30x6x3xf32>
          %p = arith.mulf %x, %y : f32
          %n = arith.addf %s, %p : f32
          tc.yield %n : f32
        }
        memref.store %sum, %C[%b, %i, %j] : memref<30x5x3xf32>
      }
    }
  }
  return
}
