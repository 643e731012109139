// Two stencils one after the other in one kernel (thesis on Tiramisu, listing 4.1): the first
// one is computed for a tile and what the second one reads around it, in shared
// memory, twice at the edges of tiles.
//
// RUN: %run_program %s
#at = affine_map<(i, t) -> (i + t)>
func.func @stencils(%A: memref<27x38xi32>, %C: memref<26x37xi32>) {
  %c26 = arith.constant 26 : index
  %c37 = arith.constant 37 : index
  tc.par grid (%i0, %j0) = (0, 0) to (26, 37) step (8, 16) {
    %b = tc.new : memref<9x17xi32, #gpu.address_space<workgroup>>
    tc.par block (%ti, %tj) = (0, 0) to (9, 17) {
      %i = affine.min affine_map<(i, t) -> (i + t, 26)>(%i0, %ti)
      %j = affine.min affine_map<(j, t) -> (j + t, 37)>(%j0, %tj)
      %i1 = affine.min affine_map<(i) -> (i + 1, 26)>(%i)
      %j1 = affine.min affine_map<(j) -> (j + 1, 37)>(%j)
      %x = memref.load %A[%i, %j] : memref<27x38xi32>
      %y = memref.load %A[%i1, %j1] : memref<27x38xi32>
      %s = arith.addi %x, %y : i32
      memref.store %s, %b[%ti, %tj] : memref<9x17xi32, #gpu.address_space<workgroup>>
    }
    tc.par block (%ti, %tj) = (0, 0) to (8, 16) {
      %i = affine.apply #at(%i0, %ti)
      %j = affine.apply #at(%j0, %tj)
      %iIn = arith.cmpi slt, %i, %c26 : index
      %jIn = arith.cmpi slt, %j, %c37 : index
      %in = arith.andi %iIn, %jIn : i1
      scf.if %in {
        %ti1 = affine.apply affine_map<(t) -> (t + 1)>(%ti)
        %tj1 = affine.apply affine_map<(t) -> (t + 1)>(%tj)
        %x = memref.load %b[%ti1, %tj] : memref<9x17xi32, #gpu.address_space<workgroup>>
        %y = memref.load %b[%ti, %tj1] : memref<9x17xi32, #gpu.address_space<workgroup>>
        %s = arith.addi %x, %y : i32
        memref.store %s, %C[%i, %j] : memref<26x37xi32>
      }
    }
  }
  return
}
