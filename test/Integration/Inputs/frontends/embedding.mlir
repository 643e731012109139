// Embeddings of tokens, as torch-mlir prints nn.Embedding: rows of a table where indices say.
#map = affine_map<(d0, d1, d2) -> (d0, d1)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @main(%arg0: tensor<64x16xf32>, %arg1: tensor<?x5xi64>) -> tensor<?x5x16xf32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg1, %c0 : tensor<?x5xi64>
    %0 = tensor.empty(%dim) : tensor<?x5x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<?x5xi64>) outs(%0 : tensor<?x5x16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %2 = arith.index_cast %in : i64 to index
      %3 = linalg.index 2 : index
      %extracted = tensor.extract %arg0[%2, %3] : tensor<64x16xf32>
      linalg.yield %extracted : f32
    } -> tensor<?x5x16xf32>
    return %1 : tensor<?x5x16xf32>
  }
}
