// torch.nn.LayerNorm(32) (torch-mlir): mean, variance, rsqrt, weight and bias.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @forward(%arg0: tensor<2x9x32xf32>, %w: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<2x9x32xf32> {
    %cst = arith.constant 1.000000e-05 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<2x9x1xf32>
    %1 = linalg.fill ins(%cst_0 : f32) outs(%0 : tensor<2x9x1xf32>) -> tensor<2x9x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x9x32xf32>) outs(%1 : tensor<2x9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %out : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x1xf32>
    %3 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%2 : tensor<2x9x1xf32>) outs(%0 : tensor<2x9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.divf %in, %cst_1 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x1xf32>
    %4 = tensor.empty() : tensor<2x9x32xf32>
    %5 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%3 : tensor<2x9x1xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x9x32xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %5 : tensor<2x9x32xf32>, tensor<2x9x32xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.subf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x32xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %6 : tensor<2x9x32xf32>, tensor<2x9x32xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x32xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%7 : tensor<2x9x32xf32>) outs(%1 : tensor<2x9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.addf %in, %out : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x1xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<2x9x1xf32>) outs(%0 : tensor<2x9x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %14 = arith.divf %in, %cst_1 : f32
      %15 = arith.addf %14, %cst : f32
      %16 = math.rsqrt %15 : f32
      linalg.yield %16 : f32
    } -> tensor<2x9x1xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%9 : tensor<2x9x1xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x9x32xf32>
    %11 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%6, %10 : tensor<2x9x32xf32>, tensor<2x9x32xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x32xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%11, %w : tensor<2x9x32xf32>, tensor<32xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.mulf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x32xf32>
    %13 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %b : tensor<2x9x32xf32>, tensor<32xf32>) outs(%4 : tensor<2x9x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %14 = arith.addf %in, %in_2 : f32
      linalg.yield %14 : f32
    } -> tensor<2x9x32xf32>
    return %13 : tensor<2x9x32xf32>
  }
}
