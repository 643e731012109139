// What upstream writes: blocks and threads of scf.forall, with a loop over a row.
//
// RUN: %run_program %s
func.func @rows(%A: memref<100x37xf32>, %B: memref<100xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c37 = arith.constant 37 : index
  scf.forall (%i) = (0) to (100) step (32) {
    scf.forall (%t) in (32) {
      %r = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      %c100 = arith.constant 100 : index
      %in = arith.cmpi slt, %r, %c100 : index
      scf.if %in {
        %zero = arith.constant 0.0 : f32
        %sum = scf.for %k = %c0 to %c37 step %c1 iter_args(%s = %zero) -> f32 {
          %x = memref.load %A[%r, %k] : memref<100x37xf32>
          %next = arith.addf %s, %x : f32
          scf.yield %next : f32
        }
        memref.store %sum, %B[%r] : memref<100xf32>
      }
    } {mapping = [#gpu.thread<x>]}
  } {mapping = [#gpu.block<x>]}
  return
}
