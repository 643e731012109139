// The with-loop of Janssen and Scholz, listing 3: two partitions with steps and widths into
// one array of zeros.
//
// RUN: %run_program %s
func.func @with_loop(%A: memref<9x9xi32>) {
  %zero = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %seven = arith.constant 7 : i32
  tc.par grid (%i) = (0) to (9) {
    tc.par block (%j) = (0) to (9) {
      memref.store %zero, %A[%i, %j] : memref<9x9xi32>
    }
  }
  tc.par grid (%i) = (0) to (9) step (2) width (1) {
    tc.par block (%j) = (1) to (8) step (3) width (2) {
      memref.store %three, %A[%i, %j] : memref<9x9xi32>
    }
  }
  tc.par grid (%i) = (1) to (8) step (3) width (2) {
    tc.par block (%j) = (0) to (9) step (2) width (1) {
      memref.store %seven, %A[%i, %j] : memref<9x9xi32>
    }
  }
  return
}
