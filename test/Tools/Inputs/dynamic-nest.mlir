// Of every `step` planes the first `width` are set.
func.func @set(%A: memref<?x?x?xi8>, %step: index, %width: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %one = arith.constant 1 : i8
  %m = memref.dim %A, %c0 : memref<?x?x?xi8>
  %n = memref.dim %A, %c1 : memref<?x?x?xi8>
  %k = memref.dim %A, %c2 : memref<?x?x?xi8>
  tc.par (%i, %j, %l) = (0, 0, 0) to (%m, %n, %k) step (%step, 1, 1) width (%width, 1, 1) {
    memref.store %one, %A[%i, %j, %l] : memref<?x?x?xi8>
  }
  return
}
