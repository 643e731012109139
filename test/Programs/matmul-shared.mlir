// Tiles of 8x8 of both matrices in shared memory, zero where they leave the
// matrix; the block steps along k. Between what is copied and what reads it, and
// back, the compiler has to put barriers.
//
// RUN: %run_program %s
#tile = affine_map<(i, t) -> (i + t)>
func.func @matmul(%A: memref<21x19xf32>, %B: memref<19x26xf32>, %C: memref<21x26xf32>) {
  %c21 = arith.constant 21 : index
  %c19 = arith.constant 19 : index
  %c26 = arith.constant 26 : index
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i0, %j0) = (0, 0) to (21, 26) step (8, 8) {
    %sa = tc.new : memref<8x8xf32, #gpu.address_space<workgroup>>
    %sb = tc.new : memref<8x8xf32, #gpu.address_space<workgroup>>
    %acc = tc.new init(0.0 : f32) threads(2) : memref<8x8xf32, #gpu.address_space<private>>
    tc.seq (%k0) = (0) to (19) step (8) {
      tc.par block (%ti, %tj) = (0, 0) to (8, 8) {
        %i = affine.apply #tile(%i0, %ti)
        %j = affine.apply #tile(%j0, %tj)
        %ka = affine.apply #tile(%k0, %tj)
        %kb = affine.apply #tile(%k0, %ti)
        %iIn = arith.cmpi slt, %i, %c21 : index
        %jIn = arith.cmpi slt, %j, %c26 : index
        %kaIn = arith.cmpi slt, %ka, %c19 : index
        %kbIn = arith.cmpi slt, %kb, %c19 : index
        %aIn = arith.andi %iIn, %kaIn : i1
        %bIn = arith.andi %jIn, %kbIn : i1
        %a = scf.if %aIn -> f32 {
          %x = memref.load %A[%i, %ka] : memref<21x19xf32>
          scf.yield %x : f32
        } else {
          scf.yield %zero : f32
        }
        %b = scf.if %bIn -> f32 {
          %x = memref.load %B[%kb, %j] : memref<19x26xf32>
          scf.yield %x : f32
        } else {
          scf.yield %zero : f32
        }
        memref.store %a, %sa[%ti, %tj] : memref<8x8xf32, #gpu.address_space<workgroup>>
        memref.store %b, %sb[%ti, %tj] : memref<8x8xf32, #gpu.address_space<workgroup>>
      }
      tc.par block (%ti, %tj) = (0, 0) to (8, 8) {
        %own = memref.subview %acc[%ti, %tj] [1, 1] [1, 1] : memref<8x8xf32, #gpu.address_space<private>> to memref<f32, strided<[], offset: ?>, #gpu.address_space<private>>
        %first = memref.load %own[] : memref<f32, strided<[], offset: ?>, #gpu.address_space<private>>
        %sum = tc.seq (%k) = (0) to (8) init(%s = %first : f32) {
          %a = memref.load %sa[%ti, %k] : memref<8x8xf32, #gpu.address_space<workgroup>>
          %b = memref.load %sb[%k, %tj] : memref<8x8xf32, #gpu.address_space<workgroup>>
          %p = arith.mulf %a, %b : f32
          %n = arith.addf %s, %p : f32
          tc.yield %n : f32
        }
        memref.store %sum, %own[] : memref<f32, strided<[], offset: ?>, #gpu.address_space<private>>
      }
    }
    tc.par block (%ti, %tj) = (0, 0) to (8, 8) {
      %own = memref.subview %acc[%ti, %tj] [1, 1] [1, 1] : memref<8x8xf32, #gpu.address_space<private>> to memref<f32, strided<[], offset: ?>, #gpu.address_space<private>>
      %i = affine.apply #tile(%i0, %ti)
      %j = affine.apply #tile(%j0, %tj)
      %iIn = arith.cmpi slt, %i, %c21 : index
      %jIn = arith.cmpi slt, %j, %c26 : index
      %in = arith.andi %iIn, %jIn : i1
      scf.if %in {
        %s = memref.load %own[] : memref<f32, strided<[], offset: ?>, #gpu.address_space<private>>
        memref.store %s, %C[%i, %j] : memref<21x26xf32>
      }
    }
  }
  return
}
