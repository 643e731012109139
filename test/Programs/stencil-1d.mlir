// Three points, of which the borders are taken as they are; a thread an element.
//
// RUN: %run_program %s
func.func @stencil(%A: memref<333xf32>, %B: memref<333xf32>) {
  tc.par grid (%i0) = (0) to (333) step (64) {
    tc.par block (%t) = (0) to (64) {
      %i = affine.apply affine_map<(i, t) -> (i + t)>(%i0, %t)
      %c333 = arith.constant 333 : index
      %in = arith.cmpi slt, %i, %c333 : index
      scf.if %in {
        %l = affine.max affine_map<(i) -> (i - 1, 0)>(%i)
        %r = affine.min affine_map<(i) -> (i + 1, 332)>(%i)
        %a = memref.load %A[%l] : memref<333xf32>
        %b = memref.load %A[%i] : memref<333xf32>
        %c = memref.load %A[%r] : memref<333xf32>
        %ab = arith.addf %a, %b : f32
        %abc = arith.addf %ab, %c : f32
        memref.store %abc, %B[%i] : memref<333xf32>
      }
    }
  }
  return
}
