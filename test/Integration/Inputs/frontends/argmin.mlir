// torch.argmin(x, dim=1) of dynamic extents: the value goes unused.
#map = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @argmin(%A: tensor<?x1000xf32>) -> tensor<?xi64> {
  %inf = arith.constant 0x7F800000 : f32
  %zero = arith.constant 0 : i64
  %c0 = arith.constant 0 : index
  %m = tensor.dim %A, %c0 : tensor<?x1000xf32>
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %e1 = tensor.empty(%m) : tensor<?xi64>
  %f0 = linalg.fill ins(%inf : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %f1 = linalg.fill ins(%zero : i64) outs(%e1 : tensor<?xi64>) -> tensor<?xi64>
  %r:2 = linalg.generic {indexing_maps = [#map, #row, #row], iterator_types = ["parallel", "reduction"]}
    ins(%A : tensor<?x1000xf32>) outs(%f0, %f1 : tensor<?xf32>, tensor<?xi64>) {
  ^bb0(%in: f32, %best: f32, %at: i64):
    %i = linalg.index 1 : index
    %n = arith.index_cast %i : index to i64
    %least = arith.minimumf %in, %best : f32
    %c = arith.cmpf olt, %in, %best : f32
    %s = arith.select %c, %n, %at : i64
    linalg.yield %least, %s : f32, i64
  } -> (tensor<?xf32>, tensor<?xi64>)
  return %r#1 : tensor<?xi64>
}
