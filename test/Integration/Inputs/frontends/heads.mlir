// Projection to 4 heads: a linear layer, view, transpose and contiguous, dynamic batch.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @forward(%arg0: tensor<?x10x32xf32>, %w: tensor<32x32xf32>, %b: tensor<32xf32>) -> tensor<?x4x10x8xf32> {
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x10x32xf32>
    %0 = tensor.empty() : tensor<32x32xf32>
    %transposed = linalg.transpose ins(%w : tensor<32x32xf32>) outs(%0 : tensor<32x32xf32>) permutation = [1, 0]
    %1 = tensor.empty(%dim) : tensor<?x32x32xf32>
    %2 = linalg.broadcast ins(%transposed : tensor<32x32xf32>) outs(%1 : tensor<?x32x32xf32>) dimensions = [0]
    %3 = tensor.empty(%dim) : tensor<?x10x32xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<?x10x32xf32>) -> tensor<?x10x32xf32>
    %5 = linalg.batch_matmul ins(%arg0, %2 : tensor<?x10x32xf32>, tensor<?x32x32xf32>) outs(%4 : tensor<?x10x32xf32>) -> tensor<?x10x32xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5, %b : tensor<?x10x32xf32>, tensor<32xf32>) outs(%3 : tensor<?x10x32xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %8 = arith.addf %in, %in_0 : f32
      linalg.yield %8 : f32
    } -> tensor<?x10x32xf32>
    %expanded = tensor.expand_shape %6 [[0], [1], [2, 3]] output_shape [%dim, 10, 4, 8] : tensor<?x10x32xf32> into tensor<?x10x4x8xf32>
    %7 = tensor.empty(%dim) : tensor<?x4x10x8xf32>
    %transposed_1 = linalg.transpose ins(%expanded : tensor<?x10x4x8xf32>) outs(%7 : tensor<?x4x10x8xf32>) permutation = [0, 2, 1, 3]
    return %transposed_1 : tensor<?x4x10x8xf32>
  }
}
