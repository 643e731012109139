func.func @steps(%X: memref<4x100000xf32>) {
  tc.par (%i) = (0) to (4) {
    tc.seq (%t) = (0) to (10) {
      tc.par (%j) = (0) to (100000) {
        %x = memref.load %X[%i, %j] : memref<4x100000xf32>
        %y = math.sqrt %x : f32
        memref.store %y, %X[%i, %j] : memref<4x100000xf32>
      }
    }
  }
  return
}
