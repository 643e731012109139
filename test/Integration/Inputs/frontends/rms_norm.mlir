// RMSNorm of Llama: x * rsqrt(mean(x^2) + eps) * weight, of f16 with statistics in f32.
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @forward(%arg0: tensor<2x6x32xf16>, %arg1: tensor<32xf16>) -> tensor<2x6x32xf16> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 3.200000e+01 : f32
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %0 = tensor.empty() : tensor<2x6x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x6x32xf16>) outs(%0 : tensor<2x6x32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %10 = arith.extf %in : f16 to f32
      linalg.yield %10 : f32
    } -> tensor<2x6x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1 : tensor<2x6x32xf32>) outs(%0 : tensor<2x6x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.mulf %in, %in : f32
      linalg.yield %10 : f32
    } -> tensor<2x6x32xf32>
    %3 = tensor.empty() : tensor<2x6x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x6x1xf32>) -> tensor<2x6x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%2 : tensor<2x6x32xf32>) outs(%4 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<2x6x1xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%5 : tensor<2x6x1xf32>) outs(%3 : tensor<2x6x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_0 : f32
      %11 = arith.addf %10, %cst_1 : f32
      %12 = math.rsqrt %11 : f32
      linalg.yield %12 : f32
    } -> tensor<2x6x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%1, %6 : tensor<2x6x32xf32>, tensor<2x6x1xf32>) outs(%0 : tensor<2x6x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      linalg.yield %10 : f32
    } -> tensor<2x6x32xf32>
    %8 = tensor.empty() : tensor<2x6x32xf16>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%7, %arg1 : tensor<2x6x32xf32>, tensor<32xf16>) outs(%8 : tensor<2x6x32xf16>) {
    ^bb0(%in: f32, %in_2: f16, %out: f16):
      %10 = arith.truncf %in : f32 to f16
      %11 = arith.mulf %in_2, %10 : f16
      linalg.yield %11 : f16
    } -> tensor<2x6x32xf16>
    return %9 : tensor<2x6x32xf16>
  }
}
