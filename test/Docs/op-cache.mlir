// RUN: tc-opt %s | tc-opt | FileCheck %s

// Columns are read from a copy of a tile, whose rows lie 17 elements apart.
func.func @transpose(%A: memref<128x256xf32>, %B: memref<256x128xf32>) {
  tc.par (%i, %j) = (0, 0) to (128, 256) step (16, 16) {
    // CHECK: tc.cache %{{.*}} pad(1) : memref<128x256xf32>
    tc.cache %A pad(1) : memref<128x256xf32>
    tc.par (%a, %b) = (0, 0) to (16, 16) {
      %row = affine.apply affine_map<(i, b) -> (i + b)>(%i, %b)
      %column = affine.apply affine_map<(j, a) -> (j + a)>(%j, %a)
      %x = memref.load %A[%row, %column] : memref<128x256xf32>
      memref.store %x, %B[%column, %row] : memref<256x128xf32>
    }
  }
  return
}
