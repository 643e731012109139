// A dot product whose blocks add their sums to one element atomically: floats, so
// that the order shows in the last digits, and the reference bounds them.
//
// RUN: %run_program %s --tolerance=1e-5
func.func @dot(%x: memref<700xf32>, %y: memref<700xf32>, %s: memref<1xf32>) {
  %zero = arith.constant 0.0 : f32
  tc.par grid (%i0) = (0) to (700) step (140) {
    tc.par block (%t) = (0) to (20) {
      %c0 = arith.constant 0 : index
      %sum = tc.seq (%k) = (0) to (140) step (20) init(%acc = %zero : f32) {
        %i = affine.apply affine_map<(i, k, t) -> (i + k + t)>(%i0, %k, %t)
        %a = memref.load %x[%i] : memref<700xf32>
        %b = memref.load %y[%i] : memref<700xf32>
        %p = arith.mulf %a, %b : f32
        %n = arith.addf %acc, %p : f32
        tc.yield %n : f32
      }
      %old = memref.atomic_rmw addf %sum, %s[%c0] : (f32, memref<1xf32>) -> f32
    }
  }
  return
}
