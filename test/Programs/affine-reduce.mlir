// Sums of rows, and the largest of these, as loops of affine.
//
// RUN: %run_program %s
func.func @affine(%A: memref<100x70xf32>, %R: memref<100xf32>, %S: memref<f32>) {
  affine.parallel (%i) = (0) to (100) {
    %s = affine.parallel (%j) = (2) to (70) step (3) reduce("addf") -> f32 {
      %x = affine.load %A[%i, %j] : memref<100x70xf32>
      affine.yield %x : f32
    }
    affine.store %s, %R[%i] : memref<100xf32>
  }
  %m = affine.parallel (%i) = (0) to (100) reduce("maximumf") -> f32 {
    %x = affine.load %R[%i] : memref<100xf32>
    affine.yield %x : f32
  }
  affine.store %m, %S[] : memref<f32>
  return
}
