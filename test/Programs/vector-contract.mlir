// Tiles of a matrix product, with the sums of their rows and largest elements of their
// columns, as ops of vectors of two dimensions.
//
// RUN: %run_program --tolerance=1e-5 %s
func.func @vector_contract(%A: memref<8x6xf32>, %B: memref<6x4xf32>, %C: memref<8x4xf32>) {
  %c0 = arith.constant 0 : index
  %pad = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : vector<4x4xf32>
  %zeros = arith.constant dense<0.0> : vector<4xf32>
  tc.par (%t) = (0) to (2) {
    %row = affine.apply affine_map<(t) -> (4 * t)>(%t)
    %a = vector.transfer_read %A[%row, %c0], %pad {in_bounds = [true, true]}
      : memref<8x6xf32>, vector<4x6xf32>
    %b = vector.transfer_read %B[%c0, %c0], %pad {in_bounds = [true, true]}
      : memref<6x4xf32>, vector<6x4xf32>
    %product = vector.contract {
        indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>,
                         affine_map<(i, j, k) -> (i, j)>],
        iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>}
      %a, %b, %zero : vector<4x6xf32>, vector<6x4xf32> into vector<4x4xf32>
    %sums = vector.multi_reduction <add>, %a, %zeros [1] : vector<4x6xf32> to vector<4xf32>
    %most = vector.multi_reduction <maximumf>, %b, %zeros [0] : vector<6x4xf32> to vector<4xf32>
    %all = vector.outerproduct %sums, %most, %product : vector<4xf32>, vector<4xf32>
    vector.transfer_write %all, %C[%row, %c0] {in_bounds = [true, true]}
      : vector<4x4xf32>, memref<8x4xf32>
  }
  return
}
