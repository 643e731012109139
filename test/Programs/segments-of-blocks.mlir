// Segments that several blocks share, numbered by a tc.par with bounds, steps and arithmetic of its
// own: argmin, two values, of equal ones the first.
//
// RUN: %run_program %s
func.func @argmin(%A: memref<7x2x10000xi32>, %B: memref<7x2xi32>, %C: memref<7x2xi32>) {
  %largest = arith.constant 2147483647 : i32
  %nowhere = arith.constant 1000000 : index
  tc.par (%i, %k) = (1, 0) to (7, 2) step (3, 1) {
    %c6 = arith.constant 6 : index
    %row = arith.subi %c6, %i : index
    tc.reduce device (%j) = (0) to (10000) init(%largest : i32, %nowhere : index) commutative {
      %x = memref.load %A[%row, %k, %j] : memref<7x2x10000xi32>
      tc.yield %x, %j : i32, index
    } combine (%a: i32, %at: index, %b: i32, %bt: index) {
      %below = arith.cmpi slt, %b, %a : i32
      %equal = arith.cmpi eq, %b, %a : i32
      %before = arith.cmpi slt, %bt, %at : index
      %first = arith.andi %equal, %before : i1
      %less = arith.ori %below, %first : i1
      %m = arith.select %less, %b, %a : i32
      %mt = arith.select %less, %bt, %at : index
      tc.yield %m, %mt : i32, index
    } finish (%m: i32, %mt: index) {
      memref.store %m, %B[%row, %k] : memref<7x2xi32>
      %place = arith.index_cast %mt : index to i32
      memref.store %place, %C[%row, %k] : memref<7x2xi32>
    }
  }
  return
}
