// All pairs i > j of 40 points as one index space of 780 threads: the pair is
// recovered from its number by a loop, and every thread writes one distance.
//
// RUN: %run_program %s
func.func @pairs(%X: memref<40xi32>, %D: memref<780xi32>) {
  tc.par grid (%n0) = (0) to (780) step (60) {
    tc.par block (%t) = (0) to (60) {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %n = affine.apply affine_map<(n, t) -> (n + t)>(%n0, %t)
      %ij:2 = scf.while (%i = %c1, %rest = %n) : (index, index) -> (index, index) {
        %more = arith.cmpi sge, %rest, %i : index
        scf.condition(%more) %i, %rest : index, index
      } do {
      ^bb0(%i: index, %rest: index):
        %left = arith.subi %rest, %i : index
        %next = arith.addi %i, %c1 : index
        scf.yield %next, %left : index, index
      }
      %a = memref.load %X[%ij#0] : memref<40xi32>
      %b = memref.load %X[%ij#1] : memref<40xi32>
      %d = arith.subi %a, %b : i32
      %d2 = arith.muli %d, %d : i32
      memref.store %d2, %D[%n] : memref<780xi32>
    }
  }
  return
}
