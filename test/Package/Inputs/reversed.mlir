// The last dimension of the first input backwards, and the rest as in adb,cd->cba.
func.func @reversed(%A: memref<48x21x32xf32>, %B: memref<9x21xf32>, %C: memref<9x32x48xf32>) {
  tc.contract (a = 48, b = 32, c = 9, d = 21)
    ins(%A[a, d, -b + 31] : memref<48x21x32xf32>, %B[c, d] : memref<9x21xf32>)
    outs(%C[c, b, a] : memref<9x32x48xf32>) overwrite
  return
}
