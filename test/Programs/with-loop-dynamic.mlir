// A with-loop whose steps and widths are values, as its bounds are: of a space over all
// blocks, of the threads of a block, of a loop of one thread, and of a reduction.
//
// RUN: %run_program %s
func.func @with_loop(%A: memref<10x23xi32>, %B: memref<64xi32>, %C: memref<10xi32>) {
  %n = arith.constant 10 : index
  %m = arith.constant 23 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %five = arith.constant 5 : index
  %zero = arith.constant 0 : i32
  %seven = arith.constant 7 : i32
  tc.par (%i, %j) = (0, 1) to (%n, %m) step (2, %five) width (1, %three) {
    memref.store %seven, %A[%i, %j] : memref<10x23xi32>
  }
  tc.par grid (%i) = (0) to (%n) step (%three) width (%two) {
    tc.par block (%j) = (0) to (64) step (%five) width (%five) {
      %sum = tc.seq (%k) = (%j) to (%m) step (%five) width (%two) init(%t = %zero : i32) {
        %term = arith.index_cast %k : index to i32
        %next = arith.addi %t, %term : i32
        tc.yield %next : i32
      }
      %old = memref.atomic_rmw addi %sum, %B[%j] : (i32, memref<64xi32>) -> i32
    }
    tc.reduce (%k) = (1) to (%m) step (%five) width (%three) init(%zero : i32) commutative {
      %x = memref.load %A[%i, %k] : memref<10x23xi32>
      tc.yield %x : i32
    } combine (%a: i32, %b: i32) {
      %s = arith.addi %a, %b : i32
      tc.yield %s : i32
    } finish (%total: i32) {
      memref.store %total, %C[%i] : memref<10xi32>
    }
  }
  return
}
