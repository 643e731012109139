// Two linear layers with GELU between (torch-mlir): x @ w1.T + b1.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d1, d0)>
module {
  func.func @forward(%x: tensor<?x24xf32>, %w1: tensor<40x24xf32>, %b1: tensor<40xf32>, %w2: tensor<16x40xf32>, %b2: tensor<16xf32>) -> tensor<?x16xf32> {
    %c0 = arith.constant 0 : index
    %zero = arith.constant 0.000000e+00 : f32
    %one = arith.constant 1.000000e+00 : f32
    %two = arith.constant 2.000000e+00 : f32
    %half = arith.constant 5.000000e-01 : f32
    %n = tensor.dim %x, %c0 : tensor<?x24xf32>
    %t1 = tensor.empty() : tensor<24x40xf32>
    %transposed = linalg.transpose ins(%w1 : tensor<40x24xf32>) outs(%t1 : tensor<24x40xf32>) permutation = [1, 0]
    %e1 = tensor.empty(%n) : tensor<?x40xf32>
    %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x40xf32>) -> tensor<?x40xf32>
    %m1 = linalg.matmul ins(%x, %transposed : tensor<?x24xf32>, tensor<24x40xf32>) outs(%f1 : tensor<?x40xf32>) -> tensor<?x40xf32>
    %a1 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%m1, %b1 : tensor<?x40xf32>, tensor<40xf32>) outs(%e1 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = arith.addf %in, %in_0 : f32
      linalg.yield %0 : f32
    } -> tensor<?x40xf32>
    %g = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%a1 : tensor<?x40xf32>) outs(%e1 : tensor<?x40xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = math.sqrt %two : f32
      %1 = arith.divf %in, %0 : f32
      %2 = math.erf %1 : f32
      %3 = arith.addf %2, %one : f32
      %4 = arith.mulf %3, %half : f32
      %5 = arith.mulf %in, %4 : f32
      linalg.yield %5 : f32
    } -> tensor<?x40xf32>
    %t2 = tensor.empty() : tensor<40x16xf32>
    %transposed_1 = linalg.transpose ins(%w2 : tensor<16x40xf32>) outs(%t2 : tensor<40x16xf32>) permutation = [1, 0]
    %e2 = tensor.empty(%n) : tensor<?x16xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %m2 = linalg.matmul ins(%g, %transposed_1 : tensor<?x40xf32>, tensor<40x16xf32>) outs(%f2 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %a2 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%m2, %b2 : tensor<?x16xf32>, tensor<16xf32>) outs(%e2 : tensor<?x16xf32>) {
    ^bb0(%in: f32, %in_0: f32, %out: f32):
      %0 = arith.addf %in, %in_0 : f32
      linalg.yield %0 : f32
    } -> tensor<?x16xf32>
    return %a2 : tensor<?x16xf32>
  }
}
