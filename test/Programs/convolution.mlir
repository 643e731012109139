// A convolution of 3x3 with stride 2 and a border of zeros, over channels.
//
// RUN: %run_program %s
func.func @convolution(%A: memref<4x15x19xf32>, %W: memref<6x4x3x3xf32>, %B: memref<6x8x10xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%o, %y) = (0, 0) to (6, 8) {
    tc.par block (%x) = (0) to (10) {
      %sum = tc.seq (%c, %dy, %dx) = (0, 0, 0) to (4, 3, 3) init(%acc = %zero : f32) {
        %c0 = arith.constant 0 : index
        %c15 = arith.constant 15 : index
        %c19 = arith.constant 19 : index
        %i = affine.apply affine_map<(y, d) -> (y * 2 + d - 1)>(%y, %dy)
        %j = affine.apply affine_map<(x, d) -> (x * 2 + d - 1)>(%x, %dx)
        %i0 = arith.cmpi sge, %i, %c0 : index
        %i1 = arith.cmpi slt, %i, %c15 : index
        %j0 = arith.cmpi sge, %j, %c0 : index
        %j1 = arith.cmpi slt, %j, %c19 : index
        %iIn = arith.andi %i0, %i1 : i1
        %jIn = arith.andi %j0, %j1 : i1
        %in = arith.andi %iIn, %jIn : i1
        %n = scf.if %in -> f32 {
          %a = memref.load %A[%c, %i, %j] : memref<4x15x19xf32>
          %w = memref.load %W[%o, %c, %dy, %dx] : memref<6x4x3x3xf32>
          %p = arith.mulf %a, %w : f32
          %s = arith.addf %acc, %p : f32
          scf.yield %s : f32
        } else {
          scf.yield %acc : f32
        }
        tc.yield %n : f32
      }
      memref.store %sum, %B[%o, %y, %x] : memref<6x8x10xf32>
    }
  }
  return
}
