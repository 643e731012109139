// The largest products of a row and a column, of four neighbours of a row at once, as a vector.
//
// RUN: %run_program %s
func.func @vector_maxima(%A: memref<16x24xf32>, %B: memref<24x32xf32>, %C: memref<16x32xf32>) {
  %zero = arith.constant dense<0.0> : vector<4xf32>
  tc.par (%i, %j) = (0, 0) to (16, 8) {
    %column = affine.apply affine_map<(j) -> (4 * j)>(%j)
    %sum = tc.seq (%k) = (0) to (24) init(%s = %zero : vector<4xf32>) {
      %a = memref.load %A[%i, %k] : memref<16x24xf32>
      %as = vector.broadcast %a : f32 to vector<4xf32>
      %b = vector.load %B[%k, %column] : memref<24x32xf32>, vector<4xf32>
      %p = arith.mulf %as, %b : vector<4xf32>
      %next = arith.maximumf %s, %p : vector<4xf32>
      tc.yield %next : vector<4xf32>
    }
    vector.store %sum, %C[%i, %column] : memref<16x32xf32>, vector<4xf32>
  }
  return
}
