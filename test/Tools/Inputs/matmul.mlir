func.func @matmul(%a: memref<32x16xf64>, %b: memref<16x24xf64>, %c: memref<32x24xf64>) {
  linalg.matmul ins(%a, %b : memref<32x16xf64>, memref<16x24xf64>) outs(%c : memref<32x24xf64>)
  return
}
