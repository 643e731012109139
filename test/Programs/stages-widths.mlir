// Sums of some columns of a matrix, staged ahead: of every five the first two, and all of them
// in a space whose width is its step. Copies may not run ahead where a width leaves a gap.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
func.func @sums(%A: memref<10x45xf32>, %y: memref<2x10xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  tc.par grid () = () to () {
    tc.seq (%q) = (1) to (44) step (5) width (2) stages(2) {
      %v = tc.view %A (%q) <offset = ?, sizes = [10, 1], strides = [45, 1]> : memref<10x45xf32> to memref<10x1xf32, strided<[45, 1], offset: ?>>
      %s = tc.stage %v pad(0.0 : f32) : memref<10x1xf32, strided<[45, 1], offset: ?>> to memref<10x1xf32, #shared>
      tc.par block (%t) = (0) to (10) {
        %r = affine.apply affine_map<(t) -> (9 - t)>(%t)
        %x = memref.load %s[%r, %c0] : memref<10x1xf32, #shared>
        %old = memref.load %y[%c0, %t] : memref<2x10xf32>
        %new = arith.addf %old, %x : f32
        memref.store %new, %y[%c0, %t] : memref<2x10xf32>
      }
    }
    tc.seq (%q) = (1) to (44) step (3) width (3) stages(2) {
      %v = tc.view %A (%q) <offset = ?, sizes = [10, 1], strides = [45, 1]> : memref<10x45xf32> to memref<10x1xf32, strided<[45, 1], offset: ?>>
      %s = tc.stage %v pad(0.0 : f32) : memref<10x1xf32, strided<[45, 1], offset: ?>> to memref<10x1xf32, #shared>
      tc.par block (%t) = (0) to (10) {
        %r = affine.apply affine_map<(t) -> (9 - t)>(%t)
        %x = memref.load %s[%r, %c0] : memref<10x1xf32, #shared>
        %old = memref.load %y[%c1, %t] : memref<2x10xf32>
        %new = arith.addf %old, %x : f32
        memref.store %new, %y[%c1, %t] : memref<2x10xf32>
      }
    }
  }
  return
}
