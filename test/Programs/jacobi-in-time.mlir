// A stencil in time: the host runs the loop over steps, and the program's own buffers last from kernel to kernel.
//
// RUN: %run_program %s
func.func @steps(%A: memref<50x70xf32>, %B: memref<50x70xf32>) {
  %u = tc.new init(0.0 : f32) : memref<50x70xf32>
  %v = tc.new init(1.0 : f32) : memref<50x70xf32>
  tc.par (%i, %j) = (0, 0) to (50, 70) {
    %a = memref.load %A[%i, %j] : memref<50x70xf32>
    memref.store %a, %u[%i, %j] : memref<50x70xf32>
  }
  tc.seq (%t) = (0) to (3) {
    tc.par (%i, %j) = (1, 1) to (49, 69) {
      %one = arith.constant 1 : index
      %up = arith.subi %i, %one : index
      %down = arith.addi %i, %one : index
      %x = memref.load %u[%up, %j] : memref<50x70xf32>
      %y = memref.load %u[%down, %j] : memref<50x70xf32>
      %s = arith.addf %x, %y : f32
      memref.store %s, %v[%i, %j] : memref<50x70xf32>
    }
    tc.par (%i, %j) = (0, 0) to (50, 70) {
      %a = memref.load %v[%i, %j] : memref<50x70xf32>
      memref.store %a, %u[%i, %j] : memref<50x70xf32>
    }
  }
  tc.par (%i, %j) = (0, 0) to (50, 70) {
    %a = memref.load %u[%i, %j] : memref<50x70xf32>
    memref.store %a, %B[%i, %j] : memref<50x70xf32>
  }
  return
}
