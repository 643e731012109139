// Rows of bytes, copied 16 at a time.
//
// RUN: %run_program %s
func.func @bytes(%A: memref<16x96xi8>, %C: memref<96xi32>) {
  %zero = arith.constant 0 : i32
  tc.par (%i) = (0) to (96) step (32) {
    tc.cache %A : memref<16x96xi8>
    tc.par (%a) = (0) to (32) {
      %x = affine.apply affine_map<(d, e) -> (d + e)>(%i, %a)
      %sum = tc.seq (%k) = (0) to (16) init(%s = %zero : i32) {
        %l = memref.load %A[%k, %x] : memref<16x96xi8>
        %w = arith.extsi %l : i8 to i32
        %n = arith.addi %w, %s : i32
        tc.yield %n : i32
      }
      memref.store %sum, %C[%x] : memref<96xi32>
    }
  }
  return
}
