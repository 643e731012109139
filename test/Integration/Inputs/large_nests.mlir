// See ../large-nests.test.
func.func @line(%A: memref<4294967311xi8>) {
  %c = arith.constant 1 : i8
  tc.par (%i) = (0) to (4294967311) {
    memref.store %c, %A[%i] : memref<4294967311xi8>
  }
  return
}
func.func @plane(%A: memref<65537x65539xi8>) {
  %c = arith.constant 1 : i8
  tc.par (%j, %i) = (0, 0) to (65539, 65537) {
    memref.store %c, %A[%i, %j] : memref<65537x65539xi8>
  }
  return
}
func.func @ten(%A: memref<7x9x8x8x11x7x8x8x9x13xi8>) {
  %c = arith.constant 1 : i8
  tc.par (%a, %b, %d, %e, %f, %g, %h, %i, %j, %k) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0) to (7, 9, 8, 8, 11, 7, 8, 8, 9, 13) {
    memref.store %c, %A[%a, %b, %d, %e, %f, %g, %h, %i, %j, %k] : memref<7x9x8x8x11x7x8x8x9x13xi8>
  }
  return
}
