func.func @transpose(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  tc.par (%i, %j) = (0, 0) to (%m, %n) {
    %a = memref.load %A[%i, %j] : memref<?x?xf32>
    memref.store %a, %B[%j, %i] : memref<?x?xf32>
  }
  return
}

func.func @sums(%A: memref<?x?xf32>, %B: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %n = memref.dim %A, %c1 : memref<?x?xf32>
  tc.par (%j) = (0) to (%n) {
    tc.seq (%i) = (0) to (%m) init(%s = %zero : f32) {
      %a = memref.load %A[%i, %j] : memref<?x?xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %B[%i, %j] : memref<?x?xf32>
      tc.yield %t : f32
    }
  }
  return
}
