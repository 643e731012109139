// A permutation written through an array of places (7 i + 3 modulo 100 meets each
// place once, and the offset is data), and a scatter with maxima, where places meet.
//
// RUN: %run_program %s
func.func @scatter(%offset: memref<1xi32>, %A: memref<100xi32>, %B: memref<100xi32>, %M: memref<9xi32>) {
  tc.par grid (%i0) = (0) to (100) step (50) {
    tc.par block (%t) = (0) to (50) {
      %c0 = arith.constant 0 : index
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %o32 = memref.load %offset[%c0] : memref<1xi32>
      %o = arith.index_cast %o32 : i32 to index
      %place = affine.apply affine_map<(i, o) -> ((i * 7 + 3 + o) mod 100)>(%i, %o)
      %bin = affine.apply affine_map<(p) -> (p mod 9)>(%place)
      %a = memref.load %A[%i] : memref<100xi32>
      memref.store %a, %B[%place] : memref<100xi32>
      %old = memref.atomic_rmw maxs %a, %M[%bin] : (i32, memref<9xi32>) -> i32
    }
  }
  return
}
