// Each iteration gets the row of a buffer that only it uses.
//
// RUN: %run_program %s
func.func @rows(%A: memref<50x6xf32>, %B: memref<50x6xf32>) {
  %zero = arith.constant 0.0 : f32
  %t = tc.new : memref<6x50xf32>
  tc.par (%i) = (0) to (50) {
    %sum = tc.seq (%k) = (0) to (6) init(%s = %zero : f32) {
      %x = memref.load %A[%i, %k] : memref<50x6xf32>
      %n = arith.addf %s, %x : f32
      memref.store %n, %t[%k, %i] : memref<6x50xf32>
      tc.yield %n : f32
    }
  }
  tc.par (%i) = (0) to (50) {
    tc.seq (%k) = (0) to (6) {
      %last = affine.apply affine_map<(k) -> (5 - k)>(%k)
      %x = memref.load %t[%last, %i] : memref<6x50xf32>
      memref.store %x, %B[%i, %k] : memref<50x6xf32>
    }
  }
  return
}
