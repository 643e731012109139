// A triangular nest: row i of the product of a lower triangular matrix and a vector
// has i + 1 terms, so each thread has a loop of another length.
//
// RUN: %run_program %s
func.func @triangular(%L: memref<75x75xf32>, %x: memref<75xf32>, %y: memref<75xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i0) = (0) to (75) step (16) {
    tc.par block (%t) = (0) to (16) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %c75 = arith.constant 75 : index
      %in = arith.cmpi slt, %i, %c75 : index
      scf.if %in {
        %end = affine.apply affine_map<(i) -> (i + 1)>(%i)
        %sum = tc.seq (%j) = (0) to (%end) init(%s = %zero : f32) {
          %l = memref.load %L[%i, %j] : memref<75x75xf32>
          %xj = memref.load %x[%j] : memref<75xf32>
          %p = arith.mulf %l, %xj : f32
          %n = arith.addf %s, %p : f32
          tc.yield %n : f32
        }
        memref.store %sum, %y[%i] : memref<75xf32>
      }
    }
  }
  return
}
