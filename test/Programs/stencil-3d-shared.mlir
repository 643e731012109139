// The same sum with the current plane of a tile in shared memory: the block walks
// up the planes, and reads the ones above and below from global memory.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<9x18x34xi32>, %B: memref<9x18x34xi32>) {
  tc.par grid (%y0, %x0) = (0, 0) to (16, 32) step (8, 16) {
    %s = tc.new : memref<10x18xi32, #gpu.address_space<workgroup>>
    tc.seq (%z) = (1) to (8) {
      tc.par block (%ty, %tx) = (0, 0) to (10, 18) {
        %y = affine.apply affine_map<(i, t) -> (i + t)>(%y0, %ty)
        %x = affine.apply affine_map<(i, t) -> (i + t)>(%x0, %tx)
        %a = memref.load %A[%z, %y, %x] : memref<9x18x34xi32>
        memref.store %a, %s[%ty, %tx] : memref<10x18xi32, #gpu.address_space<workgroup>>
      }
      tc.par block (%ty, %tx) = (1, 1) to (9, 17) {
        %y = affine.apply affine_map<(i, t) -> (i + t)>(%y0, %ty)
        %x = affine.apply affine_map<(i, t) -> (i + t)>(%x0, %tx)
        %z0 = affine.apply affine_map<(i) -> (i - 1)>(%z)
        %z1 = affine.apply affine_map<(i) -> (i + 1)>(%z)
        %n = affine.apply affine_map<(i) -> (i - 1)>(%ty)
        %o = affine.apply affine_map<(i) -> (i + 1)>(%ty)
        %w = affine.apply affine_map<(i) -> (i - 1)>(%tx)
        %e = affine.apply affine_map<(i) -> (i + 1)>(%tx)
        %a0 = memref.load %A[%z0, %y, %x] : memref<9x18x34xi32>
        %a1 = memref.load %A[%z1, %y, %x] : memref<9x18x34xi32>
        %a2 = memref.load %s[%n, %tx] : memref<10x18xi32, #gpu.address_space<workgroup>>
        %a3 = memref.load %s[%o, %tx] : memref<10x18xi32, #gpu.address_space<workgroup>>
        %a4 = memref.load %s[%ty, %w] : memref<10x18xi32, #gpu.address_space<workgroup>>
        %a5 = memref.load %s[%ty, %e] : memref<10x18xi32, #gpu.address_space<workgroup>>
        %s0 = arith.addi %a0, %a1 : i32
        %s1 = arith.addi %a2, %a3 : i32
        %s2 = arith.addi %a4, %a5 : i32
        %s3 = arith.addi %s0, %s1 : i32
        %s4 = arith.addi %s2, %s3 : i32
        memref.store %s4, %B[%z, %y, %x] : memref<9x18x34xi32>
      }
    }
  }
  return
}
