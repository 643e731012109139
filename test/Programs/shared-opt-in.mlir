// Rows of 100 KiB, reversed in shared memory: more than a kernel may declare, with a small buffer
// beside it; then a cached row of that size, read backwards. Each launch has its own size.
//
// RUN: %run_program %s
func.func @reverse(%A: memref<4x12800xf64>, %B: memref<4x12800xf64>, %C: memref<4x12800xf64>) {
  %last = arith.constant 12799 : index
  tc.par grid (%g) = (0) to (4) {
    %scale = tc.new : memref<1xf64>
    %row = tc.new : memref<12800xf64, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (1) {
      %x = memref.load %A[%g, %t] : memref<4x12800xf64>
      memref.store %x, %scale[%t] : memref<1xf64>
    }
    tc.par block (%t) = (0) to (12800) {
      %x = memref.load %A[%g, %t] : memref<4x12800xf64>
      memref.store %x, %row[%t] : memref<12800xf64, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (12800) {
      %zero = arith.constant 0 : index
      %u = arith.subi %last, %t : index
      %s = memref.load %scale[%zero] : memref<1xf64>
      %x = memref.load %row[%u] : memref<12800xf64, #gpu.address_space<workgroup>>
      %y = arith.addf %x, %s : f64
      memref.store %y, %B[%g, %t] : memref<4x12800xf64>
    }
  }
  tc.par grid (%g) = (0) to (4) {
    tc.cache %A : memref<4x12800xf64>
    tc.par block (%t) = (0) to (12800) {
      %u = affine.apply affine_map<(t) -> (12799 - t)>(%t)
      %x = memref.load %A[%g, %u] : memref<4x12800xf64>
      memref.store %x, %C[%g, %t] : memref<4x12800xf64>
    }
  }
  return
}
