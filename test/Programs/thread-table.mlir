// A table of each thread that is larger than registers, in local memory.
//
// RUN: %run_program %s
func.func @own(%A: memref<40xf32>, %B: memref<40xf32>) {
  tc.par (%i) = (0) to (40) {
    %own = tc.new init(2.0 : f32) : memref<5000xf32>
    %a = memref.load %A[%i] : memref<40xf32>
    memref.store %a, %own[%i] : memref<5000xf32>
    %zero = arith.constant 0.0 : f32
    %s = tc.seq (%k) = (0) to (5000) init(%x = %zero : f32) {
      %b = memref.load %own[%k] : memref<5000xf32>
      %n = arith.addf %x, %b : f32
      tc.yield %n : f32
    }
    memref.store %s, %B[%i] : memref<40xf32>
  }
  return
}
