// The transposition of the thesis on Tiramisu (listings 4.3 and 4.4): a block reads a tile row by
// row into shared memory and writes it column by column, so that both sides are
// coalesced. Rows of the tile have one element of padding against bank conflicts.
//
// RUN: %run_program %s
#tile = affine_map<(i, t) -> (i + t)>
func.func @transpose(%A: memref<45x70xf32>, %B: memref<70x45xf32>) {
  %c45 = arith.constant 45 : index
  %c70 = arith.constant 70 : index
  tc.par grid (%i0, %j0) = (0, 0) to (45, 70) step (16, 16) {
    %s = tc.new : memref<16x17xf32, #gpu.address_space<workgroup>>
    tc.par block (%ti, %tj) = (0, 0) to (16, 16) {
      %i = affine.apply #tile(%i0, %ti)
      %j = affine.apply #tile(%j0, %tj)
      %iIn = arith.cmpi slt, %i, %c45 : index
      %jIn = arith.cmpi slt, %j, %c70 : index
      %in = arith.andi %iIn, %jIn : i1
      %x = scf.if %in -> f32 {
        %a = memref.load %A[%i, %j] : memref<45x70xf32>
        scf.yield %a : f32
      } else {
        %zero = arith.constant 0.0 : f32
        scf.yield %zero : f32
      }
      memref.store %x, %s[%ti, %tj] : memref<16x17xf32, #gpu.address_space<workgroup>>
    }
    tc.par block (%tj, %ti) = (0, 0) to (16, 16) {
      %i = affine.apply #tile(%i0, %ti)
      %j = affine.apply #tile(%j0, %tj)
      %iIn = arith.cmpi slt, %i, %c45 : index
      %jIn = arith.cmpi slt, %j, %c70 : index
      %in = arith.andi %iIn, %jIn : i1
      scf.if %in {
        %x = memref.load %s[%ti, %tj] : memref<16x17xf32, #gpu.address_space<workgroup>>
        memref.store %x, %B[%j, %i] : memref<70x45xf32>
      }
    }
  }
  return
}
