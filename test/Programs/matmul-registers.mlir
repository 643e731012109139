// The third mapping of the matmul of TExpr: a thread has a register tile of 2x2, in
// strides over the block tile, and operands are staged in padded shared memory.
//
// RUN: %run_program %s
#shared = #gpu.address_space<workgroup>
#private = #gpu.address_space<private>
func.func @matmul(%A: memref<19x11xf32>, %B: memref<11x21xf32>, %C: memref<19x21xf32>) {
  tc.par grid (%i, %j) = (0, 0) to (19, 21) step (8, 8) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<4x4x2x2xf32, #private>
    %ni = affine.min affine_map<(i) -> (19 - i, 8)>(%i)
    %nj = affine.min affine_map<(j) -> (21 - j, 8)>(%j)
    tc.seq (%q) = (0) to (11) step (4) {
      %nq = affine.min affine_map<(q) -> (11 - q, 4)>(%q)
      %ao = affine.apply affine_map<(i, q) -> (i * 11 + q)>(%i, %q)
      %bo = affine.apply affine_map<(j, q) -> (q * 21 + j)>(%j, %q)
      %va = tc.view %A (%ao, %ni, %nq) <offset = ?, sizes = [?, ?], strides = [11, 1]> : memref<19x11xf32> to memref<?x?xf32, strided<[11, 1], offset: ?>>
      %vb = tc.view %B (%bo, %nq, %nj) <offset = ?, sizes = [?, ?], strides = [21, 1]> : memref<11x21xf32> to memref<?x?xf32, strided<[21, 1], offset: ?>>
      %sa = tc.stage %va pad(0.0 : f32) : memref<?x?xf32, strided<[11, 1], offset: ?>> to memref<8x4xf32, strided<[5, 1]>, #shared>
      %sb = tc.stage %vb pad(0.0 : f32) : memref<?x?xf32, strided<[21, 1], offset: ?>> to memref<4x8xf32, #shared>
      tc.par block (%ti, %tj) = (0, 0) to (4, 4) {
        %vacc = memref.subview %acc[%ti, %tj, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : memref<4x4x2x2xf32, #private> to memref<2x2xf32, strided<[2, 1], offset: ?>, #private>
        %wo = affine.apply affine_map<(i) -> (i * 5)>(%ti)
        %wa = tc.view %sa (%wo) <offset = ?, sizes = [2, 4], strides = [20, 1]> : memref<8x4xf32, strided<[5, 1]>, #shared> to memref<2x4xf32, strided<[20, 1], offset: ?>, #shared>
        %wb = tc.view %sb (%tj) <offset = ?, sizes = [4, 2], strides = [8, 4]> : memref<4x8xf32, #shared> to memref<4x2xf32, strided<[8, 4], offset: ?>, #shared>
        tc.contract (a = 2, b = 2, q = 4) ins(%wa[a, q] : memref<2x4xf32, strided<[20, 1], offset: ?>, #shared>, %wb[q, b] : memref<4x2xf32, strided<[8, 4], offset: ?>, #shared>) outs(%vacc[a, b] : memref<2x2xf32, strided<[2, 1], offset: ?>, #private>)
      }
    }
    tc.par block (%ti, %tj) = (0, 0) to (4, 4) {
      %vacc = memref.subview %acc[%ti, %tj, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : memref<4x4x2x2xf32, #private> to memref<2x2xf32, strided<[2, 1], offset: ?>, #private>
      %oo = affine.apply affine_map<(i, j, ti, tj) -> ((i + ti) * 21 + j + tj)>(%i, %j, %ti, %tj)
      %mi = affine.apply affine_map<(n, t) -> ((n - t + 3) floordiv 4)>(%ni, %ti)
      %mj = affine.apply affine_map<(n, t) -> ((n - t + 3) floordiv 4)>(%nj, %tj)
      %out = tc.view %C (%oo, %mi, %mj) <offset = ?, sizes = [?, ?], strides = [84, 4]> : memref<19x21xf32> to memref<?x?xf32, strided<[84, 4], offset: ?>>
      tc.contract (a = %mi, b = %mj) ins(%vacc[a, b] : memref<2x2xf32, strided<[2, 1], offset: ?>, #private>) outs(%out[a, b] : memref<?x?xf32, strided<[84, 4], offset: ?>>)
    }
  }
  return
}
