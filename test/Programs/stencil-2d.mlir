// Five points on the inside of a plane; the bounds of the index space leave the
// border out.
//
// RUN: %run_program %s --tolerance=1e-5
func.func @stencil(%A: memref<31x45xf32>, %B: memref<31x45xf32>) {
  %quarter = arith.constant 0.25 : f32
  tc.par grid (%i) = (1) to (30) {
    tc.par block (%j) = (1) to (44) {
      %n = affine.apply affine_map<(i) -> (i - 1)>(%i)
      %s = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %w = affine.apply affine_map<(j) -> (j - 1)>(%j)
      %e = affine.apply affine_map<(j) -> (j + 1)>(%j)
      %an = memref.load %A[%n, %j] : memref<31x45xf32>
      %as = memref.load %A[%s, %j] : memref<31x45xf32>
      %aw = memref.load %A[%i, %w] : memref<31x45xf32>
      %ae = memref.load %A[%i, %e] : memref<31x45xf32>
      %0 = arith.addf %an, %as : f32
      %1 = arith.addf %aw, %ae : f32
      %2 = arith.addf %0, %1 : f32
      %3 = arith.mulf %2, %quarter : f32
      memref.store %3, %B[%i, %j] : memref<31x45xf32>
    }
  }
  return
}
