func.func @other(%A: memref<8x5xf32>, %C: memref<8xf32>) {
  tc.contract (i = 8, k = 5) ins(%A[i, k] : memref<8x5xf32>) outs(%C[i] : memref<8xf32>)
  return
}
func.func @wanted(%A: memref<8x4xf32>, %C: memref<8xf32>, %D: memref<8xf32>) {
  tc.contract (i = 8) ins(%D[i] : memref<8xf32>) outs(%C[i] : memref<8xf32>)
  tc.contract (i = 8, k = 4) ins(%A[i, k] : memref<8x4xf32>) outs(%C[i] : memref<8xf32>)
  tc.par (%t) = (0) to (8) {
    %x = memref.load %C[%t] : memref<8xf32>
    memref.store %x, %D[%t] : memref<8xf32>
  }
  return
}
