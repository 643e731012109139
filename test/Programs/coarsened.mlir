// Each thread of a device goes down 4 rows of a stencil (the sequential factor of a mapping), which
// a mapping says that ends in loops and a grid; then each of 64 takes turns along all rows of
// another, where the block is left to tc-map.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<50x70xf32>, %B: memref<50x70xf32>) {
  %c1 = arith.constant 1 : index
  tc.par device (%i, %j) = (1, 0) to (49, 70)
      map #tc.map<shift_lb, permute(1, 0), split_last(4), permute(2, 1, 0), split_last(32), serial(1), grid_block(1)> {
    %above = arith.subi %i, %c1 : index
    %below = arith.addi %i, %c1 : index
    %a = memref.load %A[%above, %j] : memref<50x70xf32>
    %b = memref.load %A[%below, %j] : memref<50x70xf32>
    %sum = arith.addf %a, %b : f32
    memref.store %sum, %B[%i, %j] : memref<50x70xf32>
  }
  tc.par device (%i, %j) = (0, 0) to (50, 70) map #tc.map<split_last(64), serial(2)> {
    %a = memref.load %B[%i, %j] : memref<50x70xf32>
    %sum = arith.addf %a, %a : f32
    memref.store %sum, %B[%i, %j] : memref<50x70xf32>
  }
  return
}
