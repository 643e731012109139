// Transfers along columns, and of single elements that are repeated.
//
// RUN: %run_program %s
func.func @vector_columns(%A: memref<9x8xf32>, %B: memref<8x9xf32>) {
  %c0 = arith.constant 0 : index
  %one = arith.constant 1.0 : f32
  tc.par (%j) = (0) to (8) {
    %column = vector.transfer_read %A[%c0, %j], %one
      {permutation_map = affine_map<(i, j) -> (i)>} : memref<9x8xf32>, vector<10xf32>
    %first = vector.transfer_read %A[%c0, %j], %one
      {in_bounds = [true], permutation_map = affine_map<(i, j) -> (0)>}
      : memref<9x8xf32>, vector<10xf32>
    %difference = arith.subf %column, %first : vector<10xf32>
    vector.transfer_write %difference, %B[%j, %c0] : vector<10xf32>, memref<8x9xf32>
  }
  return
}
