// A quantized linear layer: int8 with zero points, sums in i32, scaled to f32.
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @forward(%arg0: tensor<6x32xi8>, %w: tensor<32x12xi8>, %scale: tensor<12xf32>) -> tensor<6x12xf32> {
    %c0_i32 = arith.constant 0 : i32
    %c3_i32 = arith.constant 3 : i32
    %c-2_i32 = arith.constant -2 : i32
    %0 = tensor.empty() : tensor<6x12xi32>
    %1 = linalg.fill ins(%c0_i32 : i32) outs(%0 : tensor<6x12xi32>) -> tensor<6x12xi32>
    %2 = linalg.quantized_matmul ins(%arg0, %w, %c3_i32, %c-2_i32 : tensor<6x32xi8>, tensor<32x12xi8>, i32, i32) outs(%1 : tensor<6x12xi32>) -> tensor<6x12xi32>
    %3 = tensor.empty() : tensor<6x12xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%2, %scale : tensor<6x12xi32>, tensor<12xf32>) outs(%3 : tensor<6x12xf32>) {
    ^bb0(%in: i32, %in_0: f32, %out: f32):
      %5 = arith.sitofp %in : i32 to f32
      %6 = arith.mulf %5, %in_0 : f32
      linalg.yield %6 : f32
    } -> tensor<6x12xf32>
    return %4 : tensor<6x12xf32>
  }
}
