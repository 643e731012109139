// Warps that view a part of what is theirs.
//
// RUN: %run_program %s
func.func @f(%A: memref<4x16x512xf32>) {
  tc.par (%g) = (0) to (4) {
    tc.par block (%w) = (0) to (16) {
      %b = tc.new : memref<512xf32>
      %s = memref.subview %b[3] [509] [1] : memref<512xf32> to memref<509xf32, strided<[1], offset: 3>>
      tc.par warp (%l) = (0) to (512) {
        %x = memref.load %A[%g, %w, %l] : memref<4x16x512xf32>
        memref.store %x, %b[%l] : memref<512xf32>
      }
      tc.par warp (%l) = (0) to (509) {
        %k = affine.apply affine_map<(j) -> (508 - j)>(%l)
        %x = memref.load %s[%k] : memref<509xf32, strided<[1], offset: 3>>
        memref.store %x, %A[%g, %w, %l] : memref<4x16x512xf32>
      }
    }
  }
  return
}
