// A transposition whose extents are dynamic, with indices of the width that the host chooses, and of
// 64 bits (docs/Rationale.md, "Indices have the width of their module").

func.func @transposition(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c0 : memref<?x?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?x?xf32>
  %k = memref.dim %A, %c2 : memref<?x?x?xf32>
  tc.par (%a, %b, %c) = (0, 0, 0) to (%n, %m, %k) {
    %x = memref.load %A[%a, %b, %c] : memref<?x?x?xf32>
    memref.store %x, %B[%b, %a, %c] : memref<?x?x?xf32>
  }
  return
}

func.func @transposition_64(%A: memref<?x?x?xf32>, %B: memref<?x?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %n = memref.dim %A, %c0 : memref<?x?x?xf32>
  %m = memref.dim %A, %c1 : memref<?x?x?xf32>
  %k = memref.dim %A, %c2 : memref<?x?x?xf32>
  tc.par (%a, %b, %c) = (0, 0, 0) to (%n, %m, %k) attributes {tc.variant = #tc.variant<index = 64>} {
    %x = memref.load %A[%a, %b, %c] : memref<?x?x?xf32>
    memref.store %x, %B[%b, %a, %c] : memref<?x?x?xf32>
  }
  return
}

// A permutation of static, odd extents, the one nest that gains by 32 bits there.
func.func @odd(%A: memref<31x37x41x43x7xf32>, %B: memref<43x31x37x41x7xf32>) {
  tc.par (%a, %b, %c, %d, %e) = (0, 0, 0, 0, 0) to (31, 37, 41, 43, 7) {
    %x = memref.load %A[%a, %b, %c, %d, %e] : memref<31x37x41x43x7xf32>
    memref.store %x, %B[%d, %a, %b, %c, %e] : memref<43x31x37x41x7xf32>
  }
  return
}

func.func @odd_32(%A: memref<31x37x41x43x7xf32>, %B: memref<43x31x37x41x7xf32>) {
  tc.par (%a, %b, %c, %d, %e) = (0, 0, 0, 0, 0) to (31, 37, 41, 43, 7) attributes {tc.variant = #tc.variant<index = 32>} {
    %x = memref.load %A[%a, %b, %c, %d, %e] : memref<31x37x41x43x7xf32>
    memref.store %x, %B[%d, %a, %b, %c, %e] : memref<43x31x37x41x7xf32>
  }
  return
}
