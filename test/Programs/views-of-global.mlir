// Views of a buffer that is too large for shared memory: parts, shapes, strides.
//
// RUN: %run_program %s
func.func @f(%A: memref<4x20000xf32>, %B: memref<4x100x200xf32>) {
  tc.par (%g) = (0) to (4) {
    %b = tc.new : memref<20000xf32>
    %s = memref.subview %b[3] [19997] [1] : memref<20000xf32> to memref<19997xf32, strided<[1], offset: 3>>
    %m = memref.expand_shape %b [[0, 1]] output_shape [100, 200] : memref<20000xf32> into memref<100x200xf32>
    %r = memref.reinterpret_cast %b to offset: [5], sizes: [100], strides: [7] : memref<20000xf32> to memref<100xf32, strided<[7], offset: 5>>
    tc.par (%l) = (0) to (20000) {
      %x = memref.load %A[%g, %l] : memref<4x20000xf32>
      memref.store %x, %b[%l] : memref<20000xf32>
    }
    tc.par (%i, %j) = (0, 0) to (100, 200) {
      %x = memref.load %m[%i, %j] : memref<100x200xf32>
      %y = memref.load %s[%i] : memref<19997xf32, strided<[1], offset: 3>>
      %z = memref.load %r[%i] : memref<100xf32, strided<[7], offset: 5>>
      %s1 = arith.addf %x, %y : f32
      %s2 = arith.addf %s1, %z : f32
      memref.store %s2, %B[%g, %i, %j] : memref<4x100x200xf32>
    }
  }
  return
}
