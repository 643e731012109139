// The buffer is written at even places only, and read at all.
func.func @unwritten(%A: memref<40xi32>) {
  tc.par grid (%g) = (0) to (1) {
    %s = tc.new : memref<40xi32, #gpu.address_space<workgroup>>
    tc.par block (%t) = (0) to (40) step (2) {
      %x = memref.load %A[%t] : memref<40xi32>
      memref.store %x, %s[%t] : memref<40xi32, #gpu.address_space<workgroup>>
    }
    tc.par block (%t) = (0) to (40) {
      %x = memref.load %s[%t] : memref<40xi32, #gpu.address_space<workgroup>>
      memref.store %x, %A[%t] : memref<40xi32>
    }
  }
  return
}
