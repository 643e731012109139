// RUN: tc-opt %s | tc-opt | FileCheck %s

func.func @views(%A: memref<16x16xf32>, %i: index) {
  // The diagonal: both strides of the matrix, summed.
  // CHECK: tc.view %{{.*}} <offset = 0, sizes = [16], strides = [17]> : memref<16x16xf32> to memref<16xf32, strided<[17]>>
  %d = tc.view %A <offset = 0, sizes = [16], strides = [17]>
    : memref<16x16xf32> to memref<16xf32, strided<[17]>>
  // Rows in reverse, from an offset that is known at run time.
  // CHECK: tc.view %{{.*}}(%{{.*}}) <offset = ?, sizes = [4, 16], strides = [-16, 1]>
  %r = tc.view %A(%i) <offset = ?, sizes = [4, 16], strides = [-16, 1]>
    : memref<16x16xf32> to memref<4x16xf32, strided<[-16, 1], offset: ?>>
  tc.par grid () = () to () {
    // A copy in workgroup memory, each row padded to 17 elements; 4 rows that the
    // source lacks are zero.
    // CHECK: tc.stage %{{.*}} pad(0.000000e+00 : f32)
    %s = tc.stage %r pad(0.0 : f32)
      : memref<4x16xf32, strided<[-16, 1], offset: ?>>
     to memref<8x16xf32, strided<[17, 1]>, #gpu.address_space<workgroup>>
    // Two results for each of 8 x 4 threads.
    // CHECK: tc.new init(0.000000e+00 : f32) threads(2) : memref<8x4x2xf32, #gpu.address_space<private>>
    %acc = tc.new init(0.0 : f32) threads(2)
      : memref<8x4x2xf32, #gpu.address_space<private>>
  }
  return
}
