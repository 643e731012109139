// Two layers: y = relu(x W1 + b1) W2 + b2.

#row = affine_map<(i, j) -> (i, j)>
#bias = affine_map<(i, j) -> (j)>

func.func @mlp(%x: tensor<20x48xf32>, %w1: tensor<48x64xf32>, %b1: tensor<64xf32>, %w2: tensor<64x24xf32>,
               %b2: tensor<24xf32>) -> tensor<20x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<20x64xf32>
  %s1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<20x64xf32>) -> tensor<20x64xf32>
  %m1 = linalg.matmul ins(%x, %w1 : tensor<20x48xf32>, tensor<48x64xf32>) outs(%s1 : tensor<20x64xf32>) -> tensor<20x64xf32>
  %a1 = linalg.generic {indexing_maps = [#row, #bias, #row], iterator_types = ["parallel", "parallel"]}
      ins(%m1, %b1 : tensor<20x64xf32>, tensor<64xf32>) outs(%e1 : tensor<20x64xf32>) {
  ^bb0(%m: f32, %b: f32, %old: f32):
    %s = arith.addf %m, %b : f32
    %r = arith.maximumf %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<20x64xf32>
  %e2 = tensor.empty() : tensor<20x24xf32>
  %s2 = linalg.broadcast ins(%b2 : tensor<24xf32>) outs(%e2 : tensor<20x24xf32>) dimensions = [0]
  %m2 = linalg.matmul ins(%a1, %w2 : tensor<20x64xf32>, tensor<64x24xf32>) outs(%s2 : tensor<20x24xf32>) -> tensor<20x24xf32>
  return %m2 : tensor<20x24xf32>
}
