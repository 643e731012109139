// A histogram without levels: bins of a block in memory that the compiler chooses,
// guarded and atomic updates, and a loop of threads that are fewer than elements.
//
// RUN: %run_program %s
func.func @histogram(%A: memref<1000xi32>, %H: memref<7xi32>) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tc.par (%i0) = (0) to (1000) step (300) {
    %bins = tc.new : memref<7xi32>
    tc.par (%t) = (0) to (7) {
      memref.store %zero, %bins[%t] : memref<7xi32>
    }
    %n = affine.min affine_map<(i) -> (1000 - i, 300)>(%i0)
    tc.par (%t) = (0) to (%n) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %x = memref.load %A[%i] : memref<1000xi32>
      %positive = arith.cmpi sge, %x, %zero : i32
      scf.if %positive {
        %index = arith.index_cast %x : i32 to index
        %bin = affine.apply affine_map<(n) -> (n mod 7)>(%index)
        %old = memref.atomic_rmw addi %one, %bins[%bin] : (i32, memref<7xi32>) -> i32
      }
    }
    tc.par (%t) = (0) to (7) {
      %m = memref.load %bins[%t] : memref<7xi32>
      %old = memref.atomic_rmw addi %m, %H[%t] : (i32, memref<7xi32>) -> i32
    }
  }
  return
}
