// Without values each number is NaN, so the subscript is one that no array has.
func.func @scatter(%X: memref<20x128xf32>, %Y: memref<20x128xf32>) {
  %c0 = arith.constant 0 : index
  %far = arith.constant 2147483647 : index
  tc.par (%i, %j) = (0, 0) to (20, 128) {
    %x = memref.load %X[%i, %j] : memref<20x128xf32>
    %is_none = arith.cmpf uno, %x, %x : f32
    %k = arith.select %is_none, %far, %c0 : index
    memref.store %x, %Y[%i, %k] : memref<20x128xf32>
  }
  return
}
