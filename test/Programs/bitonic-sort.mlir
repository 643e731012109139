// Rows of 64 sorted by a bitonic network in shared memory: in each of its 21 steps a
// thread compares its element with that of a partner, and keeps one of the two.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @sort(%A: memref<7x64xi32>) {
  tc.par grid (%r) = (0) to (7) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %s = tc.new : memref<2x64xi32, #shared>
    tc.par block (%t) = (0) to (64) {
      %a = memref.load %A[%r, %t] : memref<7x64xi32>
      memref.store %a, %s[%c0, %t] : memref<2x64xi32, #shared>
    }
    // Of the 6 x 6 pairs, those of step <= stage are done: the others copy.
    tc.seq (%stage, %step) = (0, 0) to (6, 6) {
      %from = affine.apply affine_map<(s) -> (s mod 2)>(%step)
      %to = affine.apply affine_map<(s) -> ((s + 1) mod 2)>(%step)
      %size = arith.shli %c1, %stage : index
      %size2 = arith.shli %size, %c1 : index
      %distance = arith.shrui %size, %step : index
      tc.par block (%t) = (0) to (64) {
        %partner = arith.xori %t, %distance : index
        %x = memref.load %s[%from, %t] : memref<2x64xi32, #shared>
        %y = memref.load %s[%from, %partner] : memref<2x64xi32, #shared>
        %sizeBit = arith.andi %t, %size2 : index
        %distanceBit = arith.andi %t, %distance : index
        %up = arith.cmpi eq, %sizeBit, %c0 : index
        %first = arith.cmpi eq, %distanceBit, %c0 : index
        %small = arith.minsi %x, %y : i32
        %large = arith.maxsi %x, %y : i32
        %same = arith.cmpi eq, %up, %first : i1
        %n = arith.select %same, %small, %large : i32
        memref.store %n, %s[%to, %t] : memref<2x64xi32, #shared>
      }
    }
    tc.par block (%t) = (0) to (64) {
      %x = memref.load %s[%c0, %t] : memref<2x64xi32, #shared>
      memref.store %x, %A[%r, %t] : memref<7x64xi32>
    }
  }
  return
}
