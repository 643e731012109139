// A polynomial by Horner's rule in f64, coefficients in a loop that carries the value.
//
// RUN: %run_program %s
func.func @horner(%c: memref<9xf64>, %x: memref<130xf64>, %y: memref<130xf64>) {
  %zero = arith.constant 0.0 : f64
  %eighth = arith.constant 0.125 : f64
  tc.par grid (%i0) = (0) to (130) step (26) {
    tc.par block (%t) = (0) to (26) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %x8 = memref.load %x[%i] : memref<130xf64>
      %xi = arith.mulf %x8, %eighth : f64
      %value = tc.seq (%k) = (0) to (9) init(%v = %zero : f64) {
        %ck = memref.load %c[%k] : memref<9xf64>
        %vx = arith.mulf %v, %xi : f64
        %n = arith.addf %vx, %ck : f64
        tc.yield %n : f64
      }
      memref.store %value, %y[%i] : memref<130xf64>
    }
  }
  return
}
