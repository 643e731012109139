// A histogram with the bins of a block in shared memory: threads of the block add
// to them atomically, and the block adds them to those of all.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @histogram(%A: memref<900xi32>, %H: memref<7xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.par grid (%i0) = (0) to (900) step (300) {
    %bins = tc.new : memref<7xi32, #shared>
    tc.par block (%t) = (0) to (7) {
      memref.store %zero, %bins[%t] : memref<7xi32, #shared>
    }
    tc.par block (%t) = (0) to (60) {
      tc.seq (%j) = (0) to (300) step (60) {
        %i = affine.apply affine_map<(i, j, t) -> (i + j + t)>(%i0, %j, %t)
        %x = memref.load %A[%i] : memref<900xi32>
        %n = arith.index_cast %x : i32 to index
        %bin = affine.apply affine_map<(n) -> (n mod 7)>(%n)
        %old = memref.atomic_rmw addi %one, %bins[%bin] : (i32, memref<7xi32, #shared>) -> i32
      }
    }
    tc.par block (%t) = (0) to (7) {
      %n = memref.load %bins[%t] : memref<7xi32, #shared>
      %old = memref.atomic_rmw addi %n, %H[%t] : (i32, memref<7xi32>) -> i32
    }
  }
  return
}
