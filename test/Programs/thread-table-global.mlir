// A table of each thread that is larger than local memory.
//
// RUN: %run_program %s
func.func @own(%A: memref<5xf32>, %B: memref<5xf32>) {
  tc.par (%i) = (0) to (5) {
    %own = tc.new init(2.0 : f32) : memref<140000xf32>
    %a = memref.load %A[%i] : memref<5xf32>
    memref.store %a, %own[%i] : memref<140000xf32>
    %zero = arith.constant 0.0 : f32
    %s = tc.seq (%k) = (0) to (300) init(%x = %zero : f32) {
      %b = memref.load %own[%k] : memref<140000xf32>
      %n = arith.addf %x, %b : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i] : memref<5xf32>
  }
  return
}
