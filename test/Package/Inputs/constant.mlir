memref.global @weights : memref<3x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]>
func.func @constant(%A: memref<?x3xf32>, %C: memref<?x2xf32>) {
  %W = memref.get_global @weights : memref<3x2xf32>
  linalg.matmul ins(%A, %W : memref<?x3xf32>, memref<3x2xf32>) outs(%C : memref<?x2xf32>)
  return
}
