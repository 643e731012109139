// Segments that several blocks scan, exclusively; the terms are written as they are made, and so may
// not be made twice.
//
// RUN: %run_program %s
func.func @scan(%A: memref<3x10000xi32>, %B: memref<3x10000xi32>, %C: memref<3x10000xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (3) {
    tc.scan device (%j) = (0) to (10000) init(%zero : i32) exclusive {
      %x = memref.load %A[%i, %j] : memref<3x10000xi32>
      %y = arith.muli %x, %x : i32
      memref.store %y, %C[%i, %j] : memref<3x10000xi32>
      tc.yield %y : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%j: index, %s: i32) {
      memref.store %s, %B[%i, %j] : memref<3x10000xi32>
    }
  }
  return
}
