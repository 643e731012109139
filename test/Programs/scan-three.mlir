// The three scans of LocVolCalib (FinPar), each a tc.scan over the threads of a
// block: a sum, a maximum, and the composition of functions a x + b.
//
// RUN: %run_program %s
func.func @three_scans(%A: memref<3x4x33xi32>, %B: memref<3x4x33xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %lowest = arith.constant -2147483648 : i32
  tc.par grid (%i, %j) = (0, 0) to (3, 4) {
    tc.scan block (%k) = (0) to (33) init(%zero : i32) {
      %a = memref.load %A[%i, %j, %k] : memref<3x4x33xi32>
      tc.yield %a : i32
    } combine (%x: i32, %y: i32) {
      %z = arith.addi %x, %y : i32
      tc.yield %z : i32
    } finish (%k: index, %x: i32) {
      memref.store %x, %B[%i, %j, %k] : memref<3x4x33xi32>
    }
    tc.scan block (%k) = (0) to (33) init(%lowest : i32) {
      %b = memref.load %B[%i, %j, %k] : memref<3x4x33xi32>
      tc.yield %b : i32
    } combine (%x: i32, %y: i32) {
      %z = arith.maxsi %x, %y : i32
      tc.yield %z : i32
    } finish (%k: index, %x: i32) {
      memref.store %x, %B[%i, %j, %k] : memref<3x4x33xi32>
    }
    tc.scan block (%k) = (0) to (33) init(%one : i32, %zero : i32) {
      %a = memref.load %A[%i, %j, %k] : memref<3x4x33xi32>
      %b = memref.load %B[%i, %j, %k] : memref<3x4x33xi32>
      tc.yield %a, %b : i32, i32
    } combine (%a0: i32, %b0: i32, %a1: i32, %b1: i32) {
      %a = arith.muli %a0, %a1 : i32
      %c = arith.muli %b0, %a1 : i32
      %b = arith.addi %c, %b1 : i32
      tc.yield %a, %b : i32, i32
    } finish (%k: index, %a: i32, %b: i32) {
      memref.store %b, %B[%i, %j, %k] : memref<3x4x33xi32>
    }
  }
  return
}
