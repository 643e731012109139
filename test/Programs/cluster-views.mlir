// Views of a buffer of a cluster: a row of another block, a column through all rows, rows that
// follow one another, and an address in PTX. Each element is where it is without them.
//
// RUN: %run_program %s --argument=--chip=sm_90a
func.func @views(%A: memref<3x4x64xf32>, %B: memref<3x4x64xf32>, %C: memref<3x4xf32>, %D: memref<3x4xi32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  tc.par grid (%i) = (0) to (3) {
    %rows = tc.new : memref<4x64xf32>
    %counts = tc.new init(0 : i32) : memref<4x2xi32>
    tc.par cluster (%q) = (0) to (4) {
      %own = memref.subview %rows[%q, 0] [1, 64] [1, 1] : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %next = affine.apply affine_map<(d0) -> ((d0 + 1) mod 4)>(%q)
      %counter = memref.subview %counts[%next, 1] [1, 1] [1, 1] : memref<4x2xi32> to memref<i32, strided<[], offset: ?>>
      tc.par block (%t) = (0) to (64) {
        %x = memref.load %A[%i, %q, %t] : memref<3x4x64xf32>
        memref.store %x, %own[%t] : memref<64xf32, strided<[1], offset: ?>>
        %old = memref.atomic_rmw addi %one, %counter[] : (i32, memref<i32, strided<[], offset: ?>>) -> i32
      }
    }
    tc.par cluster (%q) = (0) to (4) {
      %from = affine.apply affine_map<(d0) -> (192 - d0 * 64)>(%q)
      %other = tc.view %rows(%from) <offset = ?, sizes = [64], strides = [1]> : memref<4x64xf32> to memref<64xf32, strided<[1], offset: ?>>
      %flat = memref.collapse_shape %rows [[0, 1]] : memref<4x64xf32> into memref<256xf32>
      tc.par block (%t) = (0) to (64) {
        %x = memref.load %other[%t] : memref<64xf32, strided<[1], offset: ?>>
        %at = affine.apply affine_map<(d0, d1) -> ((d0 * 97 + d1 * 5) mod 256)>(%q, %t)
        %y = memref.load %flat[%at] : memref<256xf32>
        %s = arith.addf %x, %y : f32
        memref.store %s, %B[%i, %q, %t] : memref<3x4x64xf32>
      }
      %column = memref.subview %rows[0, 7] [4, 1] [1, 1] : memref<4x64xf32> to memref<4xf32, strided<[64], offset: 7>>
      %p = affine.apply affine_map<(d0) -> (3 - d0)>(%q)
      tc.par block (%t) = (0) to (1) {
        %x = memref.load %column[%p] : memref<4xf32, strided<[64], offset: 7>>
        memref.store %x, %C[%i, %q] : memref<3x4xf32>
        %c1 = arith.constant 1 : index
        %n = memref.load %counts[%q, %c1] : memref<4x2xi32>
        memref.store %n, %D[%i, %q] : memref<3x4xi32>
      }
    }
  }
  return
}
