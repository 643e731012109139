func.func @with(%A: memref<?xf32>, %B: memref<?xf32>, %l: index, %u: index) {
  %x = arith.constant 1.0 : f32
  %y = arith.constant 2.0 : f32
  tc.with %A, %B default(%x, %y : f32, f32) : memref<?xf32>, memref<?xf32> {
    tc.partition (%i) = (%l) to (%u) {
      tc.yield %y, %x : f32, f32
    }
  }
  return
}
