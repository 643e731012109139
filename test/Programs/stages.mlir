// Row sums of a matrix by way of tiles that are staged ahead: `stages(2)` lets the
// copy of the next tile run while one is summed. The last tile is padded.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>
func.func @sums(%A: memref<20x45xf32>, %y: memref<20xf32>) {
  tc.par grid (%i) = (0) to (20) step (10) {
    %acc = tc.new init(0.0 : f32) threads(1) : memref<10xf32, #private>
    tc.seq (%q) = (0) to (45) step (8) stages(2) {
      %n = affine.min affine_map<(q) -> (45 - q, 8)>(%q)
      %at = affine.apply affine_map<(i, q) -> (i * 45 + q)>(%i, %q)
      %v = tc.view %A (%at, %n) <offset = ?, sizes = [10, ?], strides = [45, 1]> : memref<20x45xf32> to memref<10x?xf32, strided<[45, 1], offset: ?>>
      %s = tc.stage %v pad(0.0 : f32) : memref<10x?xf32, strided<[45, 1], offset: ?>> to memref<10x8xf32, strided<[9, 1]>, #shared>
      tc.par block (%t) = (0) to (10) {
        %own = memref.subview %acc[%t] [1] [1] : memref<10xf32, #private> to memref<f32, strided<[], offset: ?>, #private>
        %first = memref.load %own[] : memref<f32, strided<[], offset: ?>, #private>
        %sum = tc.seq (%k) = (0) to (8) init(%x = %first : f32) {
          %a = memref.load %s[%t, %k] : memref<10x8xf32, strided<[9, 1]>, #shared>
          %m = arith.addf %x, %a : f32
          tc.yield %m : f32
        }
        memref.store %sum, %own[] : memref<f32, strided<[], offset: ?>, #private>
      }
    }
    tc.par block (%t) = (0) to (10) {
      %own = memref.subview %acc[%t] [1] [1] : memref<10xf32, #private> to memref<f32, strided<[], offset: ?>, #private>
      %sum = memref.load %own[] : memref<f32, strided<[], offset: ?>, #private>
      %r = affine.apply affine_map<(i, t) -> (i + t)>(%i, %t)
      memref.store %sum, %y[%r] : memref<20xf32>
    }
  }
  return
}
