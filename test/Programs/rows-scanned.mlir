// Rows of a block, of a thread each: a scan, two values of which depend on the row, and a sum of what
// it stored. Terms come in several tiles, and rows in two.
//
// RUN: %run_program %s
func.func @scan(%A: memref<300x70xi32>, %B: memref<300x70xi32>, %C: memref<300xi64>) {
  %zero = arith.constant 0 : i32
  %none = arith.constant 0 : i64
  tc.par grid (%first) = (0) to (300) step (150) {
    tc.par block (%r) = (0) to (150) {
      %row = arith.addi %first, %r : index
      %factor = arith.index_cast %row : index to i32
      tc.scan block (%j) = (0) to (70) init(%zero : i32) {
        %x = memref.load %A[%row, %j] : memref<300x70xi32>
        %y = arith.muli %x, %factor : i32
        tc.yield %y : i32
      } combine (%a: i32, %b: i32) {
        %s = arith.addi %a, %b : i32
        tc.yield %s : i32
      } finish (%j: index, %s: i32) {
        %t = arith.subi %s, %factor : i32
        memref.store %t, %B[%row, %j] : memref<300x70xi32>
      }
    }
    tc.par block (%r) = (0) to (150) {
      %row = arith.addi %first, %r : index
      tc.reduce block (%j) = (0) to (70) init(%none : i64) {
        %x = memref.load %B[%row, %j] : memref<300x70xi32>
        %y = arith.extsi %x : i32 to i64
        tc.yield %y : i64
      } combine (%a: i64, %b: i64) {
        %s = arith.addi %a, %b : i64
        tc.yield %s : i64
      } finish (%s: i64) {
        memref.store %s, %C[%row] : memref<300xi64>
      }
    }
  }
  return
}
