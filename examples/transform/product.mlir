// The program of schedule.mlir: C += A B.
func.func @product(%A: memref<96x80xf32>, %B: memref<80x64xf32>, %C: memref<96x64xf32>) {
  linalg.matmul ins(%A, %B : memref<96x80xf32>, memref<80x64xf32>) outs(%C : memref<96x64xf32>)
  return
}
