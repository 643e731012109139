func.func @strided(%A: memref<?x?xf32, strided<[?, ?], offset: ?>>,
                   %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  linalg.matmul ins(%A, %B : memref<?x?xf32, strided<[?, ?], offset: ?>>, memref<?x?xf32>)
                outs(%C : memref<?x?xf32>)
  return
}
