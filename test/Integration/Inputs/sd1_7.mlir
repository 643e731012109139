// The contraction sd1_7 of coupled-cluster triples: each result sums 16 products.
// C[f,d,e,c,b,a] = sum over g of A[c,e,f,g] * B[g,d,b,a]
func.func @sd1_7(%A: memref<16x16x16x16xf32>, %B: memref<16x16x16x16xf32>,
                 %C: memref<16x16x16x16x16x16xf32>) {
  linalg.contract
      indexing_maps = [affine_map<(f, d, e, c, b, a, g) -> (c, e, f, g)>,
                       affine_map<(f, d, e, c, b, a, g) -> (g, d, b, a)>,
                       affine_map<(f, d, e, c, b, a, g) -> (f, d, e, c, b, a)>]
      ins(%A, %B : memref<16x16x16x16xf32>, memref<16x16x16x16xf32>)
      outs(%C : memref<16x16x16x16x16x16xf32>)
  return
}
