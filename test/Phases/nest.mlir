// A matmul as a nest written by hand, in every op a pass may leave: a grid of 4 x 4
// tiles, private accumulators, steps of 2 staged with padded rows, partial tiles.
//
// RUN: %check_phases %s --reference=%S/Inputs/matmul-9x7x5.mlir canonicalize cse
func.func @matmul(%A: memref<9x5xf32>, %B: memref<5x7xf32>, %C: memref<9x7xf32>) {
  %c9 = arith.constant 9 : index
  %c7 = arith.constant 7 : index
  %c5 = arith.constant 5 : index
  tc.par grid (%i, %j) = (0, 0) to (9, 7) step (4, 4) {
    %acc = tc.new init(0.0 : f32) threads(2) : memref<2x2x2x2xf32, #gpu.address_space<private>>
    %ni0 = arith.subi %c9, %i : index
    %nj0 = arith.subi %c7, %j : index
    tc.seq (%q) = (0) to (5) step (2) {
      %nq0 = arith.subi %c5, %q : index
      %c2 = arith.constant 2 : index
      %c4 = arith.constant 4 : index
      %nq = arith.minsi %nq0, %c2 : index
      %ni = arith.minsi %ni0, %c4 : index
      %nj = arith.minsi %nj0, %c4 : index
      %ao = affine.apply affine_map<(i, q)->(i*5+q)>(%i, %q)
      %bo = affine.apply affine_map<(j, q)->(q*7+j)>(%j, %q)
      %va = tc.view %A (%ao, %ni, %nq) <offset = ?, sizes = [?, ?], strides = [5, 1]> : memref<9x5xf32> to memref<?x?xf32, strided<[5, 1], offset: ?>>
      %vb = tc.view %B (%bo, %nq, %nj) <offset = ?, sizes = [?, ?], strides = [7, 1]> : memref<5x7xf32> to memref<?x?xf32, strided<[7, 1], offset: ?>>
      %sa = tc.stage %va pad(0.0 : f32) : memref<?x?xf32, strided<[5, 1], offset: ?>> to memref<4x2xf32, strided<[3, 1]>, #gpu.address_space<workgroup>>
      %sb = tc.stage %vb pad(0.0 : f32) : memref<?x?xf32, strided<[7, 1], offset: ?>> to memref<2x4xf32, strided<[4, 1]>, #gpu.address_space<workgroup>>
      gpu.barrier
      tc.par block (%ti, %tj) = (0, 0) to (2, 2) {
        %vacc = memref.subview %acc[%ti, %tj, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : memref<2x2x2x2xf32, #gpu.address_space<private>> to memref<2x2xf32, strided<[2, 1], offset: ?>, #gpu.address_space<private>>
        %ti0 = affine.apply affine_map<(i)->(i*3)>(%ti)
        %wa = tc.view %sa (%ti0) <offset = ?, sizes = [2, 2], strides = [6, 1]> : memref<4x2xf32, strided<[3, 1]>, #gpu.address_space<workgroup>> to memref<2x2xf32, strided<[6, 1], offset: ?>, #gpu.address_space<workgroup>>
        %wb = tc.view %sb (%tj) <offset = ?, sizes = [2, 2], strides = [4, 2]> : memref<2x4xf32, strided<[4, 1]>, #gpu.address_space<workgroup>> to memref<2x2xf32, strided<[4, 2], offset: ?>, #gpu.address_space<workgroup>>
        tc.contract (a = 2, b = 2, q = 2) ins(%wa[a, q] : memref<2x2xf32, strided<[6, 1], offset: ?>, #gpu.address_space<workgroup>>, %wb[q, b] : memref<2x2xf32, strided<[4, 2], offset: ?>, #gpu.address_space<workgroup>>) outs(%vacc[a, b] : memref<2x2xf32, strided<[2, 1], offset: ?>, #gpu.address_space<private>>)
      }
      gpu.barrier
    }
    tc.par block (%ti, %tj) = (0, 0) to (2, 2) {
      %vacc = memref.subview %acc[%ti, %tj, 0, 0] [1, 1, 2, 2] [1, 1, 1, 1] : memref<2x2x2x2xf32, #gpu.address_space<private>> to memref<2x2xf32, strided<[2, 1], offset: ?>, #gpu.address_space<private>>
      %oo = affine.apply affine_map<(i, j, ti, tj)->((i+ti)*7+j+tj)>(%i, %j, %ti, %tj)
      %mi = affine.apply affine_map<(n, t)->((n - t + 1) floordiv 2)>(%ni0, %ti)
      %mj = affine.apply affine_map<(n, t)->((n - t + 1) floordiv 2)>(%nj0, %tj)
      %c2 = arith.constant 2 : index
      %ki = arith.minsi %mi, %c2 : index
      %kj = arith.minsi %mj, %c2 : index
      %out = tc.view %C (%oo, %ki, %kj) <offset = ?, sizes = [?, ?], strides = [14, 2]> : memref<9x7xf32> to memref<?x?xf32, strided<[14, 2], offset: ?>>
      tc.contract (a = %ki, b = %kj) ins(%vacc[a, b] : memref<2x2xf32, strided<[2, 1], offset: ?>, #gpu.address_space<private>>) outs(%out[a, b] : memref<?x?xf32, strided<[14, 2], offset: ?>>)
    }
  }
  return
}
