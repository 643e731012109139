// Vectors of a buffer in shared memory reach over what four threads have stored, and
// vectors that threads have stored are read backwards.
//
// RUN: %run_program %s
func.func @vector_shared(%A: memref<8x64xi32>, %B: memref<8x61xi32>, %C: memref<8x64xi32>) {
  tc.par grid (%i) = (0) to (8) {
    %row = tc.new : memref<64xi32>
    tc.seq (%time) = (0) to (2) {
      tc.par block (%j) = (0) to (64) {
        %x = memref.load %A[%i, %j] : memref<8x64xi32>
        %n = arith.index_cast %time : index to i32
        %y = arith.addi %x, %n : i32
        memref.store %y, %row[%j] : memref<64xi32>
      }
      tc.par block (%j) = (0) to (61) {
        %v = vector.load %row[%j] : memref<64xi32>, vector<4xi32>
        %sum = vector.reduction <add>, %v : vector<4xi32> into i32
        memref.store %sum, %B[%i, %j] : memref<8x61xi32>
      }
      tc.par block (%j) = (0) to (16) {
        %first = affine.apply affine_map<(j) -> (4 * j)>(%j)
        %v = vector.load %A[%i, %first] : memref<8x64xi32>, vector<4xi32>
        vector.store %v, %row[%first] : memref<64xi32>, vector<4xi32>
      }
      tc.par block (%j) = (0) to (16) {
        %first = affine.apply affine_map<(j) -> (4 * j)>(%j)
        %last = affine.apply affine_map<(j) -> (60 - 4 * j)>(%j)
        %v = vector.load %row[%last] : memref<64xi32>, vector<4xi32>
        %back = vector.shuffle %v, %v [3, 2, 1, 0] : vector<4xi32>, vector<4xi32>
        vector.store %back, %C[%i, %first] : memref<8x64xi32>, vector<4xi32>
      }
      tc.yield
    }
  }
  return
}
