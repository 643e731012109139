// Conway's game of life on a torus, a generation a kernel; counting is done in a loop
// over the neighbours, and the rule is a chain of selects.
//
// RUN: %run_program %s
func.func @life(%A: memref<18x33xi32>, %B: memref<18x33xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  tc.par grid (%i) = (0) to (18) {
    tc.par block (%j) = (0) to (33) {
      %sum = tc.seq (%di, %dj) = (0, 0) to (3, 3) init(%s = %zero : i32) {
        %y = affine.apply affine_map<(i, d) -> ((i + d + 17) mod 18)>(%i, %di)
        %x = affine.apply affine_map<(j, d) -> ((j + d + 32) mod 33)>(%j, %dj)
        %a = memref.load %A[%y, %x] : memref<18x33xi32>
        %lives = arith.andi %a, %one : i32
        %n = arith.addi %s, %lives : i32
        tc.yield %n : i32
      }
      %a = memref.load %A[%i, %j] : memref<18x33xi32>
      %lives = arith.andi %a, %one : i32
      %others = arith.subi %sum, %lives : i32
      %isTwo = arith.cmpi eq, %others, %two : i32
      %isThree = arith.cmpi eq, %others, %three : i32
      %kept = arith.select %isTwo, %lives, %zero : i32
      %next = arith.select %isThree, %one, %kept : i32
      memref.store %next, %B[%i, %j] : memref<18x33xi32>
    }
  }
  return
}
