// An attention block with a residual: 24 tokens of 32 numbers, 4 heads of 8.
//   q, k, v = x Wq, x Wk, x Wv          [token, head, number]
//   p = softmax(q k^T / sqrt(8))        [head, token, token]
//   y = x + (p v) Wo
// x stays the caller's: without its attribute bufferization would add to it in place.

#out = affine_map<(s, h, d, e) -> (s, h, d)>
#in = affine_map<(s, h, d, e) -> (s, e)>
#weight = affine_map<(s, h, d, e) -> (e, h, d)>
#hst = affine_map<(h, s, t) -> (h, s, t)>

func.func @attention(%x: tensor<24x32xf32> {bufferization.writable = false}, %wq: tensor<32x4x8xf32>, %wk: tensor<32x4x8xf32>,
                     %wv: tensor<32x4x8xf32>, %wo: tensor<4x8x32xf32>) -> tensor<24x32xf32> {
  %zero = arith.constant 0.0 : f32
  %scale = arith.constant 0.353553385 : f32 // 1 / sqrt(8)
  %e = tensor.empty() : tensor<24x4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e : tensor<24x4x8xf32>) -> tensor<24x4x8xf32>
  %q = linalg.contract indexing_maps = [#in, #weight, #out]
      ins(%x, %wq : tensor<24x32xf32>, tensor<32x4x8xf32>) outs(%init : tensor<24x4x8xf32>) -> tensor<24x4x8xf32>
  %k = linalg.contract indexing_maps = [#in, #weight, #out]
      ins(%x, %wk : tensor<24x32xf32>, tensor<32x4x8xf32>) outs(%init : tensor<24x4x8xf32>) -> tensor<24x4x8xf32>
  %v = linalg.contract indexing_maps = [#in, #weight, #out]
      ins(%x, %wv : tensor<24x32xf32>, tensor<32x4x8xf32>) outs(%init : tensor<24x4x8xf32>) -> tensor<24x4x8xf32>

  %es = tensor.empty() : tensor<4x24x24xf32>
  %is = linalg.fill ins(%zero : f32) outs(%es : tensor<4x24x24xf32>) -> tensor<4x24x24xf32>
  %scores = linalg.contract indexing_maps = [affine_map<(h, s, t, d) -> (s, h, d)>,
      affine_map<(h, s, t, d) -> (t, h, d)>, affine_map<(h, s, t, d) -> (h, s, t)>]
      ins(%q, %k : tensor<24x4x8xf32>, tensor<24x4x8xf32>) outs(%is : tensor<4x24x24xf32>) -> tensor<4x24x24xf32>
  %scaled = linalg.generic {indexing_maps = [#hst, #hst], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%scores : tensor<4x24x24xf32>) outs(%es : tensor<4x24x24xf32>) {
  ^bb0(%score: f32, %old: f32):
    %r = arith.mulf %score, %scale : f32
    linalg.yield %r : f32
  } -> tensor<4x24x24xf32>
  %p = linalg.softmax dimension(2) ins(%scaled : tensor<4x24x24xf32>) outs(%es : tensor<4x24x24xf32>) -> tensor<4x24x24xf32>

  %mixed = linalg.contract indexing_maps = [affine_map<(s, h, d, t) -> (h, s, t)>,
      affine_map<(s, h, d, t) -> (t, h, d)>, affine_map<(s, h, d, t) -> (s, h, d)>]
      ins(%p, %v : tensor<4x24x24xf32>, tensor<24x4x8xf32>) outs(%init : tensor<24x4x8xf32>) -> tensor<24x4x8xf32>
  %y = linalg.contract indexing_maps = [affine_map<(s, e, h, d) -> (s, h, d)>,
      affine_map<(s, e, h, d) -> (h, d, e)>, affine_map<(s, e, h, d) -> (s, e)>]
      ins(%mixed, %wo : tensor<24x4x8xf32>, tensor<4x8x32xf32>) outs(%x : tensor<24x32xf32>) -> tensor<24x32xf32>
  return %y : tensor<24x32xf32>
}
