// x[i+1] = a[i] * x[i] + b[i], which looks as if it had to be done in order: maps
// x -> a * x + b are composed, in order, by all blocks. Whole numbers wrap around.
//
// RUN: %run_program %s
func.func @recurrence(%a: memref<8200xi32>, %b: memref<8200xi32>, %x: memref<8200xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.scan (%i) = (0) to (8200) init(%one : i32, %zero : i32) {
    %p = memref.load %a[%i] : memref<8200xi32>
    %q = memref.load %b[%i] : memref<8200xi32>
    tc.yield %p, %q : i32, i32
  } combine (%p: i32, %q: i32, %r: i32, %s: i32) {
    %pr = arith.muli %p, %r : i32
    %qr = arith.muli %q, %r : i32
    %t = arith.addi %qr, %s : i32
    tc.yield %pr, %t : i32, i32
  } finish (%i: index, %p: i32, %q: i32) {
    memref.store %q, %x[%i] : memref<8200xi32>
  }
  return
}
