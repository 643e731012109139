// Segments that several blocks share, numbered by a tc.par with bounds, steps and arithmetic of its
// own: argmin, two values in order of position.
//
// RUN: %run_program %s
func.func @argmin(%A: memref<7x2x5000xi32>, %B: memref<7x2xi32>, %C: memref<7x2xi32>) {
  %largest = arith.constant 2147483647 : i32
  %nowhere = arith.constant 0 : index
  tc.par (%i, %k) = (1, 0) to (7, 2) step (3, 1) {
    %c6 = arith.constant 6 : index
    %row = arith.subi %c6, %i : index
    tc.reduce device (%j) = (0) to (5000) init(%largest : i32, %nowhere : index) {
      %x = memref.load %A[%row, %k, %j] : memref<7x2x5000xi32>
      tc.yield %x, %j : i32, index
    } combine (%a: i32, %at: index, %b: i32, %bt: index) {
      %less = arith.cmpi slt, %b, %a : i32
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
