// Clusters draw their rows from a counter in global memory: one thread of one block draws,
// and all blocks of the cluster learn of it. Each block leaves half of the row in memory of
// the cluster that shared memory cannot have, as nothing in it numbers the blocks, and takes
// the other half in reversed order.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @queue(%A: memref<5x100xf32>, %B: memref<5x100xf32>) {
  %counter = tc.new init(0 : i32) : memref<1xi32>
  tc.par grid (%g) = (0) to (5) {
    %c0 = arith.constant 0 : index
    %n = arith.constant 1 : i32
    %row = tc.new : memref<100xf32>
    %drawn = memref.atomic_rmw addi %n, %counter[%c0] : (i32, memref<1xi32>) -> i32
    // Which row it is does not show: all of them are handled alike.
    %zero = arith.constant 0 : i32
    %there = arith.cmpi sge, %drawn, %zero : i32
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (50) {
        %j = affine.apply affine_map<(c, t) -> (c * 50 + t)>(%c, %t)
        %a = memref.load %A[%g, %j] : memref<5x100xf32>
        %none = arith.constant 0.0 : f32
        %x = arith.select %there, %a, %none : f32
        memref.store %x, %row[%j] : memref<100xf32>
      }
    }
    tc.par cluster (%c) = (0) to (2) {
      tc.par block (%t) = (0) to (50) {
        %j = affine.apply affine_map<(c, t) -> (c * 50 + t)>(%c, %t)
        %k = affine.apply affine_map<(j) -> (99 - j)>(%j)
        %a = memref.load %row[%k] : memref<100xf32>
        memref.store %a, %B[%g, %j] : memref<5x100xf32>
      }
    }
  }
  return
}
