// A product of matrices of 2^n by 2^m and 2^m by 2^n, with the same work for all n: the first
// experiment of "Incremental flattening for nested data parallelism" (Henriksen et al., PPoPP 2019),
// where n + n + m = 25. A map over rows of a map over columns of a reduction, which linalg names.

!A = memref<?x?xf32>
!B = memref<?x?xf32>
!C = memref<?x?xf32>

func.func @matrix_sweep(%A: !A, %B: !B, %C: !C) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%C : !C)
  linalg.matmul ins(%A, %B : !A, !B) outs(%C : !C)
  return
}
