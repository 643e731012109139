// Floyd and Warshall's shortest paths: a loop of the host round a grid, which launches
// the kernel once for each middle node. Row and column of that node do not change.
//
// RUN: %run_program %s
func.func @paths(%D: memref<23x23xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c23 = arith.constant 23 : index
  %c3 = arith.constant 3 : i32
  tc.par grid (%i) = (0) to (23) {
    tc.par block (%j) = (0) to (23) {
      %x = memref.load %D[%i, %j] : memref<23x23xi32>
      %xx = arith.muli %x, %x : i32
      %y = arith.muli %xx, %c3 : i32
      memref.store %y, %D[%i, %j] : memref<23x23xi32>
    }
  }
  scf.for %k = %c0 to %c23 step %c1 {
    tc.par grid (%i) = (0) to (23) {
      tc.par block (%j) = (0) to (23) {
        %isRow = arith.cmpi eq, %i, %k : index
        %isColumn = arith.cmpi eq, %j, %k : index
        %fixed = arith.ori %isRow, %isColumn : i1
        scf.if %fixed {
        } else {
          %x = memref.load %D[%i, %k] : memref<23x23xi32>
          %y = memref.load %D[%k, %j] : memref<23x23xi32>
          %z = memref.load %D[%i, %j] : memref<23x23xi32>
          %xy = arith.addi %x, %y : i32
          %n = arith.minsi %xy, %z : i32
          memref.store %n, %D[%i, %j] : memref<23x23xi32>
        }
      }
    }
  }
  return
}
