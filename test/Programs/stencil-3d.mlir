// Seven points in space: planes and rows are the grid, a row is a block; the faces
// keep what they have.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<9x11x23xi32>, %B: memref<9x11x23xi32>) {
  %six = arith.constant 6 : i32
  tc.par grid (%z, %y) = (1, 1) to (8, 10) {
    tc.par block (%x) = (1) to (22) {
      %z0 = affine.apply affine_map<(i) -> (i - 1)>(%z)
      %z1 = affine.apply affine_map<(i) -> (i + 1)>(%z)
      %y0 = affine.apply affine_map<(i) -> (i - 1)>(%y)
      %y1 = affine.apply affine_map<(i) -> (i + 1)>(%y)
      %x0 = affine.apply affine_map<(i) -> (i - 1)>(%x)
      %x1 = affine.apply affine_map<(i) -> (i + 1)>(%x)
      %c = memref.load %A[%z, %y, %x] : memref<9x11x23xi32>
      %a0 = memref.load %A[%z0, %y, %x] : memref<9x11x23xi32>
      %a1 = memref.load %A[%z1, %y, %x] : memref<9x11x23xi32>
      %a2 = memref.load %A[%z, %y0, %x] : memref<9x11x23xi32>
      %a3 = memref.load %A[%z, %y1, %x] : memref<9x11x23xi32>
      %a4 = memref.load %A[%z, %y, %x0] : memref<9x11x23xi32>
      %a5 = memref.load %A[%z, %y, %x1] : memref<9x11x23xi32>
      %s0 = arith.addi %a0, %a1 : i32
      %s1 = arith.addi %a2, %a3 : i32
      %s2 = arith.addi %a4, %a5 : i32
      %s3 = arith.addi %s0, %s1 : i32
      %s4 = arith.addi %s2, %s3 : i32
      %c6 = arith.muli %c, %six : i32
      %d = arith.subi %s4, %c6 : i32
      memref.store %d, %B[%z, %y, %x] : memref<9x11x23xi32>
    }
  }
  return
}
