// Pieces of an array of the host go through the device: rows there, columns back.
func.func @pieces(%A: memref<32x40xf32, #tc.host>, %B: memref<32x40xf32, #tc.host>,
                  %C: memref<32x40xf32>) {
  tc.par host (%i) = (0) to (32) step (8) {
    %from = memref.subview %A[%i, 0] [8, 40] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
    %to = memref.subview %C[%i, 0] [8, 40] [1, 1]
      : memref<32x40xf32> to memref<8x40xf32, strided<[40, 1], offset: ?>>
    memref.copy %from, %to
      : memref<8x40xf32, strided<[40, 1], offset: ?>, #tc.host>
      to memref<8x40xf32, strided<[40, 1], offset: ?>>
    tc.par (%j, %k) = (0, 0) to (8, 40) {
      %x = memref.load %to[%j, %k] : memref<8x40xf32, strided<[40, 1], offset: ?>>
      %y = arith.addf %x, %x : f32
      memref.store %y, %to[%j, %k] : memref<8x40xf32, strided<[40, 1], offset: ?>>
    }
  }
  tc.par host (%i) = (0) to (40) step (8) {
    %there = memref.alloc() : memref<32x8xf32>
    tc.par (%j, %k) = (0, 0) to (32, 8) {
      %column = affine.apply affine_map<(d, e) -> (d + e)>(%i, %k)
      %x = memref.load %C[%j, %column] : memref<32x40xf32>
      %y = arith.negf %x : f32
      memref.store %y, %there[%j, %k] : memref<32x8xf32>
    }
    %to = memref.subview %B[0, %i] [32, 8] [1, 1]
      : memref<32x40xf32, #tc.host> to memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host>
    memref.copy %there, %to
      : memref<32x8xf32> to memref<32x8xf32, strided<[40, 1], offset: ?>, #tc.host>
  }
  return
}

// Any extents and strides.
func.func @strided(%A: memref<?x?xf32, strided<[?, ?]>, #tc.host>, %C: memref<?x?xf32>) {
  memref.copy %A, %C : memref<?x?xf32, strided<[?, ?]>, #tc.host> to memref<?x?xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xf32>
  %n = memref.dim %C, %c1 : memref<?x?xf32>
  tc.par (%i, %j) = (0, 0) to (%m, %n) {
    %x = memref.load %C[%i, %j] : memref<?x?xf32>
    %y = arith.addf %x, %x : f32
    memref.store %y, %C[%i, %j] : memref<?x?xf32>
  }
  return
}
