// The block tiling of Henriksen's lecture on flattening: every body needs all others, so a block loads them
// a tile at a time into shared memory, and each thread adds up the forces on its
// own body in registers.
//
// RUN: %run_program %s --tolerance=1e-5
#shared = #gpu.address_space<workgroup>
func.func @forces(%X: memref<100x3xf32>, %F: memref<100x3xf32>) {
  %c100 = arith.constant 100 : index
  %zero = arith.constant 0.0 : f32
  %soft = arith.constant 0.01 : f32
  tc.par grid (%i0) = (0) to (100) step (32) {
    %tile = tc.new : memref<32x3xf32, #shared>
    %force = tc.new init(0.0 : f32) threads(1) : memref<32x3xf32, #gpu.address_space<private>>
    tc.seq (%j0) = (0) to (100) step (32) {
      tc.par block (%t) = (0) to (32) {
        %j = affine.min affine_map<(j, t) -> (j + t, 99)>(%j0, %t)
        tc.seq (%d) = (0) to (3) {
          %x = memref.load %X[%j, %d] : memref<100x3xf32>
          memref.store %x, %tile[%t, %d] : memref<32x3xf32, #shared>
        }
      }
      tc.par block (%t) = (0) to (32) {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %own = memref.subview %force[%t, 0] [1, 3] [1, 1]
          : memref<32x3xf32, #gpu.address_space<private>> to memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
        %i = affine.min affine_map<(i, t) -> (i + t, 99)>(%i0, %t)
        %x0 = memref.load %X[%i, %c0] : memref<100x3xf32>
        %x1 = memref.load %X[%i, %c1] : memref<100x3xf32>
        %x2 = memref.load %X[%i, %c2] : memref<100x3xf32>
        %n = affine.min affine_map<(j) -> (100 - j, 32)>(%j0)
        tc.seq (%k) = (0) to (%n) {
          %y0 = memref.load %tile[%k, %c0] : memref<32x3xf32, #shared>
          %y1 = memref.load %tile[%k, %c1] : memref<32x3xf32, #shared>
          %y2 = memref.load %tile[%k, %c2] : memref<32x3xf32, #shared>
          %d0 = arith.subf %y0, %x0 : f32
          %d1 = arith.subf %y1, %x1 : f32
          %d2 = arith.subf %y2, %x2 : f32
          %q0 = arith.mulf %d0, %d0 : f32
          %q1 = arith.mulf %d1, %d1 : f32
          %q2 = arith.mulf %d2, %d2 : f32
          %q01 = arith.addf %q0, %q1 : f32
          %q012 = arith.addf %q01, %q2 : f32
          %r2 = arith.addf %q012, %soft : f32
          %w = math.rsqrt %r2 : f32
          %f0 = arith.mulf %d0, %w : f32
          %f1 = arith.mulf %d1, %w : f32
          %f2 = arith.mulf %d2, %w : f32
          %a0 = memref.load %own[%c0] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          %a1 = memref.load %own[%c1] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          %a2 = memref.load %own[%c2] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          %s0 = arith.addf %a0, %f0 : f32
          %s1 = arith.addf %a1, %f1 : f32
          %s2 = arith.addf %a2, %f2 : f32
          memref.store %s0, %own[%c0] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          memref.store %s1, %own[%c1] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          memref.store %s2, %own[%c2] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
        }
      }
    }
    tc.par block (%t) = (0) to (32) {
      %own = memref.subview %force[%t, 0] [1, 3] [1, 1]
        : memref<32x3xf32, #gpu.address_space<private>> to memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %in = arith.cmpi slt, %i, %c100 : index
      scf.if %in {
        tc.seq (%d) = (0) to (3) {
          %f = memref.load %own[%d] : memref<3xf32, strided<[1], offset: ?>, #gpu.address_space<private>>
          memref.store %f, %F[%i, %d] : memref<100x3xf32>
        }
      }
    }
  }
  return
}
