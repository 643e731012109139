func.func @nest(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  tc.par (%i, %j) = (0, 0) to (1024, 1024) {
    tc.seq (%k) = (0) to (1024) {
      %a = memref.load %A[%i, %k] : memref<1024x1024xf32>
      %b = memref.load %B[%k, %j] : memref<1024x1024xf32>
      %c = memref.load %C[%i, %j] : memref<1024x1024xf32>
      %p = arith.mulf %a, %b : f32
      %s = arith.addf %c, %p : f32
      memref.store %s, %C[%i, %j] : memref<1024x1024xf32>
      tc.yield
    }
  }
  return
}

func.func @linalg(%A: memref<1024x1024xf32>, %B: memref<1024x1024xf32>, %C: memref<1024x1024xf32>) {
  linalg.matmul ins(%A, %B : memref<1024x1024xf32>, memref<1024x1024xf32>)
    outs(%C : memref<1024x1024xf32>)
  return
}
