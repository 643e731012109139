// The sum of each row by a tree whose levels have half the threads each: the bound of
// the inner parallel loop changes from step to step.
//
// RUN: %run_program %s
func.func @sums(%A: memref<6x128xf32>, %B: memref<6xf32>) {
  tc.par (%i) = (0) to (6) {
    %s = tc.new : memref<128xf32>
    tc.par (%t) = (0) to (128) {
      %a = memref.load %A[%i, %t] : memref<6x128xf32>
      memref.store %a, %s[%t] : memref<128xf32>
    }
    tc.seq (%level) = (0) to (7) {
      %c64 = arith.constant 64 : index
      %half = arith.shrui %c64, %level : index
      tc.par (%t) = (0) to (%half) {
        %other = arith.addi %t, %half : index
        %a = memref.load %s[%t] : memref<128xf32>
        %b = memref.load %s[%other] : memref<128xf32>
        %n = arith.addf %a, %b : f32
        memref.store %n, %s[%t] : memref<128xf32>
      }
    }
    tc.par (%t) = (0) to (1) {
      %x = memref.load %s[%t] : memref<128xf32>
      memref.store %x, %B[%i] : memref<6xf32>
    }
  }
  return
}
