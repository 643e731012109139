// torch.max(x, dim=1): values and places.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @argmax(%A: tensor<6x50xf32>) -> (tensor<6xf32>, tensor<6xi64>) {
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0 : i64
  %e0 = tensor.empty() : tensor<6xf32>
  %e1 = tensor.empty() : tensor<6xi64>
  %f0 = linalg.fill ins(%ninf : f32) outs(%e0 : tensor<6xf32>) -> tensor<6xf32>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<6xi64>) -> tensor<6xi64>
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row], iterator_types = ["parallel", "reduction"]}
    ins(%A : tensor<6x50xf32>) outs(%f0, %f1 : tensor<6xf32>, tensor<6xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %best : f32
    %c = arith.cmpf ogt, %in, %best : f32
    %s = arith.select %c, %n, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<6xf32>, tensor<6xi64>)
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xi64>
}
