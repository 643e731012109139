// Parts of rows: the first elements by a mask, and others by their subscripts.
//
// RUN: %run_program %s
func.func @vector_masks(%A: memref<8x8xf32>, %B: memref<8x12xf32>) {
  %c0 = arith.constant 0 : index
  %c6 = arith.constant 6 : index
  %others = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]> : vector<6xf32>
  %places = arith.constant dense<[2, 0, 5, 3, 70, 80]> : vector<6xindex>
  tc.par (%i) = (0) to (8) {
    %lower = vector.create_mask %i : vector<6xi1>
    %some = vector.constant_mask [4] : vector<6xi1>
    %triangle = vector.maskedload %A[%i, %c0], %lower, %others
      : memref<8x8xf32>, vector<6xi1>, vector<6xf32> into vector<6xf32>
    %picked = vector.gather %A[%i, %c0] [%places], %some, %triangle
      : memref<8x8xf32>, vector<6xindex>, vector<6xi1>, vector<6xf32> into vector<6xf32>
    vector.store %triangle, %B[%i, %c0] : memref<8x12xf32>, vector<6xf32>
    vector.store %others, %B[%i, %c6] : memref<8x12xf32>, vector<6xf32>
    vector.scatter %B[%i, %c6] [%places], %some, %picked
      : memref<8x12xf32>, vector<6xindex>, vector<6xi1>, vector<6xf32>
    vector.maskedstore %B[%i, %c0], %lower, %picked
      : memref<8x12xf32>, vector<6xi1>, vector<6xf32>
  }
  return
}
