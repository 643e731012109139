func.func @matmul(%A: memref<9x5xf32>, %B: memref<5x7xf32>, %C: memref<9x7xf32>) {
  linalg.matmul ins(%A, %B : memref<9x5xf32>, memref<5x7xf32>) outs(%C : memref<9x7xf32>)
  return
}
