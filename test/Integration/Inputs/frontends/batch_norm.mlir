// torch.nn.BatchNorm2d(5).eval(), then a residual and ReLU.
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1)>
module {
  func.func @forward(%arg0: tensor<2x5x6x7xf32>, %w: tensor<5xf32>, %b: tensor<5xf32>, %mean: tensor<5xf32>, %scale: tensor<5xf32>, %skip: tensor<2x5x6x7xf32>) -> tensor<2x5x6x7xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
    %0 = tensor.empty() : tensor<2x5x6x7xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1, #map1, #map1, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg0, %w, %b, %mean, %scale : tensor<2x5x6x7xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) outs(%0 : tensor<2x5x6x7xf32>) {
    ^bb0(%in: f32, %in_1: f32, %in_2: f32, %in_3: f32, %in_4: f32, %out: f32):
      %4 = arith.truncf %cst_0 : f64 to f32
      %5 = math.absf %in_4 : f32
      %6 = arith.addf %5, %4 : f32
      %7 = math.rsqrt %6 : f32
      %8 = arith.subf %in, %in_3 : f32
      %9 = arith.mulf %8, %7 : f32
      %10 = arith.mulf %9, %in_1 : f32
      %11 = arith.addf %10, %in_2 : f32
      linalg.yield %11 : f32
    } -> tensor<2x5x6x7xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%1, %skip : tensor<2x5x6x7xf32>, tensor<2x5x6x7xf32>) outs(%0 : tensor<2x5x6x7xf32>) {
    ^bb0(%in: f32, %in_1: f32, %out: f32):
      %4 = arith.addf %in, %in_1 : f32
      linalg.yield %4 : f32
    } -> tensor<2x5x6x7xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2 : tensor<2x5x6x7xf32>) outs(%0 : tensor<2x5x6x7xf32>) {
    ^bb0(%in: f32, %out: f32):
      %4 = arith.cmpf ugt, %in, %cst : f32
      %5 = arith.select %4, %in, %cst : f32
      linalg.yield %5 : f32
    } -> tensor<2x5x6x7xf32>
    return %3 : tensor<2x5x6x7xf32>
  }
}
