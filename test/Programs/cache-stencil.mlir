// A stencil along the outer dimension, from a cached tile with a halo that sticks out at both ends of
// the buffer; the copy lies column by column.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<1000x37xf32>, %B: memref<1000x37xf32>) {
  tc.par (%i) = (0) to (1000) step (50) {
    tc.cache %A order [1, 0] : memref<1000x37xf32>
    tc.par (%t, %k) = (0, 0) to (50, 37) {
      %c = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      %zero = arith.constant 0 : index
      %one = arith.constant 1 : index
      %last = arith.constant 999 : index
      %l0 = arith.subi %c, %one : index
      %first = arith.cmpi eq, %c, %zero : index
      %z = arith.constant 0.0 : f32
      %a = scf.if %first -> f32 {
        scf.yield %z : f32
      } else {
        %x = memref.load %A[%l0, %k] : memref<1000x37xf32>
        scf.yield %x : f32
      }
      %r0 = arith.addi %c, %one : index
      %end = arith.cmpi eq, %c, %last : index
      %b = scf.if %end -> f32 {
        scf.yield %z : f32
      } else {
        %x = memref.load %A[%r0, %k] : memref<1000x37xf32>
        scf.yield %x : f32
      }
      %sum = arith.addf %a, %b : f32
      memref.store %sum, %B[%c, %k] : memref<1000x37xf32>
    }
  }
  return
}
