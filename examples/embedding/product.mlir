// C = A B + C, batched.
func.func @product(%A: memref<8x64x96xf32>, %B: memref<8x96x80xf32>, %C: memref<8x64x80xf32>) {
  linalg.batch_matmul ins(%A, %B : memref<8x64x96xf32>, memref<8x96x80xf32>) outs(%C : memref<8x64x80xf32>)
  return
}
