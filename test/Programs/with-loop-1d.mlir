// The with-loop of Janssen and Scholz, listings 4 and 5: three partitions, of which the
// second one fills what the step of the first one leaves out.
//
// RUN: %run_program %s
func.func @with_loop(%A: memref<1500xf32>, %B: memref<1500xf32>) {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %four = arith.constant 4.0 : f32
  tc.par grid (%i0) = (0) to (1000) step (200) {
    tc.par block (%t) = (0) to (200) step (2) {
      %i = arith.addi %i0, %t : index
      %a = memref.load %A[%i] : memref<1500xf32>
      %b = arith.addf %a, %one : f32
      memref.store %b, %B[%i] : memref<1500xf32>
    }
  }
  tc.par grid (%i0) = (0) to (1000) step (200) {
    tc.par block (%t) = (1) to (200) step (2) {
      %i = arith.addi %i0, %t : index
      memref.store %zero, %B[%i] : memref<1500xf32>
    }
  }
  tc.par grid (%i0) = (1000) to (1500) step (100) {
    tc.par block (%t) = (0) to (100) {
      %i = arith.addi %i0, %t : index
      %a = memref.load %A[%i] : memref<1500xf32>
      %b = arith.addf %a, %four : f32
      memref.store %b, %B[%i] : memref<1500xf32>
    }
  }
  return
}
