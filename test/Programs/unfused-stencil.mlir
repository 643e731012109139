// Neighbours of what a map writes are read, and a space is another: nothing becomes one nest.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<100xf32>, %B: memref<100xf32>, %C: memref<99xf32>) {
  %t = tc.new : memref<100xf32>
  tc.par (%i) = (0) to (100) {
    %x = memref.load %A[%i] : memref<100xf32>
    %y = arith.mulf %x, %x : f32
    memref.store %y, %t[%i] : memref<100xf32>
  }
  tc.par (%i) = (0) to (100) {
    %other = affine.apply affine_map<(i) -> (99 - i)>(%i)
    %x = memref.load %t[%other] : memref<100xf32>
    memref.store %x, %B[%i] : memref<100xf32>
  }
  tc.par (%i) = (0) to (99) {
    %x = memref.load %B[%i] : memref<100xf32>
    memref.store %x, %C[%i] : memref<99xf32>
  }
  return
}
