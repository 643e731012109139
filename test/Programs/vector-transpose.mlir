// A transposition by tiles of 4 by 4, those at the rim of which are partly outside.
//
// RUN: %run_program %s
func.func @vector_transpose(%A: memref<10x7xf32>, %B: memref<7x10xf32>) {
  %pad = arith.constant 0.0 : f32
  tc.par (%i, %j) = (0, 0) to (3, 2) {
    %row = affine.apply affine_map<(i) -> (4 * i)>(%i)
    %column = affine.apply affine_map<(j) -> (4 * j)>(%j)
    %tile = vector.transfer_read %A[%row, %column], %pad
      : memref<10x7xf32>, vector<4x4xf32>
    %turned = vector.transpose %tile, [1, 0] : vector<4x4xf32> to vector<4x4xf32>
    vector.transfer_write %turned, %B[%column, %row] : vector<4x4xf32>, memref<7x10xf32>
  }
  return
}
