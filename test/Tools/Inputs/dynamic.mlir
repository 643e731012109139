// z[i] = a[i, k] * b[k] over the first n of k.
func.func @product(%a: memref<?x?xf32>, %b: memref<?xf32>, %z: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %a, %c0 : memref<?x?xf32>
  tc.contract (i = %m, k = %n) ins(%a[i, k] : memref<?x?xf32>, %b[k] : memref<?xf32>)
      outs(%z[i] : memref<?xf32>) overwrite
  return
}
