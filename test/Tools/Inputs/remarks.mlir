func.func @quotients(%x: tensor<4x6xf32>, %z: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  // In order.
  %s = linalg.generic {
      indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%z : tensor<4xf32>) {
  ^bb0(%u: f32, %acc: f32):
    %d = arith.divf %acc, %u : f32
    linalg.yield %d : f32
  } -> tensor<4xf32>
  // Not fused.
  %r = linalg.exp ins(%s : tensor<4xf32>) outs(%w : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
