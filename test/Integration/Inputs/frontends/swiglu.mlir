// The gate of Llama's MLP: silu(x @ w1) * (x @ w2).
#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @forward(%x: tensor<9x24xf32>, %w1: tensor<24x40xf32>, %w2: tensor<24x40xf32>) -> tensor<9x40xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<9x40xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<9x40xf32>) -> tensor<9x40xf32>
    %2 = linalg.matmul ins(%x, %w1 : tensor<9x24xf32>, tensor<24x40xf32>) outs(%1 : tensor<9x40xf32>) -> tensor<9x40xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%2 : tensor<9x40xf32>) outs(%0 : tensor<9x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = arith.negf %in : f32
      %8 = math.exp %7 : f32
      %9 = arith.addf %8, %cst_0 : f32
      %10 = arith.divf %cst_0, %9 : f32
      linalg.yield %10 : f32
    } -> tensor<9x40xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %2 : tensor<9x40xf32>, tensor<9x40xf32>) outs(%0 : tensor<9x40xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<9x40xf32>
    %5 = linalg.matmul ins(%x, %w2 : tensor<9x24xf32>, tensor<24x40xf32>) outs(%1 : tensor<9x40xf32>) -> tensor<9x40xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%4, %5 : tensor<9x40xf32>, tensor<9x40xf32>) outs(%0 : tensor<9x40xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %7 = arith.mulf %in, %in_1 : f32
      linalg.yield %7 : f32
    } -> tensor<9x40xf32>
    return %6 : tensor<9x40xf32>
  }
}
